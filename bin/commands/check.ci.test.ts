import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { runProgram } from '../support/program.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-check-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A check always runs as a separate process, because it limits the heaps of its process. */
const run = (data: string, ...args: readonly string[]) =>
  (args[0] === 'check' ? runProgram : runCommand)(args, { CASEMILL_DATA: join(folder, data) })

test.each(['missing', 'empty'])('a folder that is %s is not sound, nor released', async (name) => {
  if (name === 'empty') mkdirSync(join(folder, name))
  const err = `casemill: no casemill data in "${join(folder, name)}"; name its folder with --data\n`
  for (const command of [['check'], ['release'], ['release', 'list']]) {
    expect(await run(name, ...command)).toMatchObject({ status: 1, out: '', err })
  }
})

test('a sound folder is reported in one line; what it lacks is reported, and how to get it', async () => {
  await run('made', 'token', 'create', '--user', 'ada')
  expect(await run('made', 'check')).toMatchObject({
    status: 0,
    out: '',
    err: 'checked 0 files (0.0 MB), 0 releases: nothing is wrong\n',
  })
  expect(await run('made', 'release', 'list')).toMatchObject({
    status: 0,
    out: 'release\tdate\tcurrent\tfolder\n',
    err: 'no releases; make one with casemill import commons\n',
  })
  expect(await run('made', 'release')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^there is nothing to release: no project is marked as released; /),
  })
})
