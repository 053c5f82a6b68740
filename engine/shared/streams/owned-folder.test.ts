import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { ownedFolder } from './owned-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'casemill-owned-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
})

const at = (name: string) => join(folder, name)
const own = async () => basename(await ownedFolder(folder, 'work-'))

/** The script of another process, which writes its output and then waits for the end of its input. */
const SCRIPT = `
  import { ownedFolder } from ${JSON.stringify(new URL('owned-folder.ts', import.meta.url).href)}
  console.log(await ownedFolder(process.argv[1], 'work-'))
  process.stdin.resume()
`
const startOther = () =>
  spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })

test('what a process that was killed left goes, and what one that runs has stays', async () => {
  const [killed, running] = [startOther(), startOther()]
  const told = await Promise.all([killed, running].map(({ stdout }) => once(stdout, 'data')))
  const [left = '', kept = ''] = told.map(([line]) => basename(String(line).trim()))
  writeFileSync(join(at(left), 'rows'), 'of somebody')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const first = await own()
  expect(readdirSync(folder).toSorted()).toEqual([first, kept].toSorted())
  running.stdin.end()
  await once(running, 'exit')
  const second = await own()
  expect(readdirSync(folder).toSorted()).toEqual([first, second].toSorted())
})

test('what was of another process of the same number goes', async () => {
  const first = await own()
  const [space, pid, started] = first.slice('work-'.length).split('.')
  mkdirSync(at(`work-${space}.${pid}.${Number(started) - 1}.abcdef`))
  const second = await own()
  expect(readdirSync(folder).toSorted()).toEqual([first, second].toSorted())
})

test('what is of another machine goes when nobody wrote to it for a day, and nothing else goes', async () => {
  const { pid } = spawnSync('true')
  const others = [`work-00000000.${pid}.1.abcdef`, `work-00000000.${pid}.1.ghijkl`]
  for (const name of [...others, 'work-of-people', `other-00000000.${pid}.1.abcdef`]) {
    mkdirSync(at(name))
    writeFileSync(join(at(name), 'rows'), 'rows')
    // Two days ago.
    const time = Date.now() / 1000 - 172_800
    if (name !== others[1]) utimesSync(join(at(name), 'rows'), time, time)
    utimesSync(at(name), time, time)
  }
  const made = await own()
  const kept = [`other-00000000.${pid}.1.abcdef`, 'work-of-people', others[1], made]
  expect(readdirSync(folder).toSorted()).toEqual(kept.toSorted())
})

test('a folder that is not there is the only thing that is reported', async () => {
  await expect(ownedFolder(at('none'), 'work-')).rejects.toThrow(/ENOENT/)
})
