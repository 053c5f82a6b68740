import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endOf, runProgram, startProgram } from '../support/program.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-check-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (data: string, ...args: readonly string[]) =>
  runProgram(args, { CASEMILL_DATA: join(folder, data) })

test.each(['missing', 'empty'])('a folder that is %s is not sound, nor released', async (name) => {
  if (name === 'empty') mkdirSync(join(folder, name))
  const err = `casemill: no casemill data in "${join(folder, name)}"; give its folder by --data\n`
  for (const command of [['check'], ['release'], ['release', 'list']]) {
    expect(await run(name, ...command)).toMatchObject({ status: 1, out: '', err })
  }
})

test('a sound folder is told in one line; what it lacks is told, and how to get it', async () => {
  await run('made', 'token', 'create', '--user', 'ada')
  expect(await run('made', 'check')).toMatchObject({
    ...{ status: 0, out: '' },
    err: 'checked 0 files (0.0 MB), 0 releases: nothing is wrong\n',
  })
  expect(await run('made', 'release', 'list')).toMatchObject({
    ...{ status: 0, out: 'release\tdate\tcurrent\tfolder\n' },
    err: 'no releases; casemill import commons makes one\n',
  })
  expect(await run('made', 'release')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^there is nothing to release: no project is marked as released; /),
  })
})

test('a server says that its data folder is new, once', async () => {
  const data = join(folder, 'new')
  const serve = async () => {
    const child = startProgram(['serve', '--port', '0', '--threads', '1', '--data', data])
    const ended = endOf(child)
    await once(createInterface({ input: child.stdout }), 'line')
    child.kill('SIGINT')
    return (await ended).err
  }
  expect(await serve()).toContain(`casemill: no casemill data in "${data}" yet: a new, empty`)
  expect(await serve()).not.toContain('casemill: no casemill data')
})
