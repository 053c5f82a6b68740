import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { madeStaging } from '../../engine/registry/staging/store/support/made-staging.ts'
import { openState, statePath } from '../../engine/shared/index.ts'
import { runProgram } from '../support/program.ts'

const PROGRAM = fileURLToPath(new URL('../casemill.ts', import.meta.url))

let folder: string
let cases: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-stage-'))
  const state = openState(statePath(folder))
  await madeStaging(state)
  state.close()
  cases = join(folder, 'cases.ndjson')
  writeFileSync(cases, `${'{}\n'.repeat(1000)}[]\n{}`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: readonly string[]) =>
  runProgram(['stage', '--algorithm', 'made', ...args], { CASEMILL_DATA: folder })

const FAILED = JSON.stringify({
  result: 'FAILED_MISSING_SITE_OR_HISTOLOGY',
  input: {},
  output: {},
  errors: [],
  path: [],
})
const LINES = [
  ...Array.from({ length: 1000 }, () => FAILED),
  '{"line":1001,"error":{"code":"bad_input","message":"the body is no object; give keys with texts"}}',
  ...[FAILED, ''],
].join('\n')

const WORRY = 'casemill: 1 line has an error for an answer\n'

test('stage answers a line for each line of a file; a bad one with an error, and status 1', async () => {
  expect(await run('--version', '1.0', cases)).toEqual({
    status: 1,
    signal: null,
    out: LINES,
    err: WORRY,
  })
})

test('cases alone are status 0, however they are staged', async () => {
  const sound = join(folder, 'sound.ndjson')
  writeFileSync(sound, '{}\n{}\n')
  const answers = `${FAILED}\n${FAILED}\n`
  expect(await run('--version', '1.0', sound)).toMatchObject({ status: 0, out: answers, err: '' })
})

test('stage reads standard input and writes a file', () => {
  const out = join(folder, 'staged.ndjson')
  const words = ['--data', folder, '--algorithm', 'made', '--version', 'latest', '-o', out, '-']
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'stage', ...words], {
    input: readFileSync(cases),
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 1, stderr: WORRY })
  expect(readFileSync(out, 'utf8')).toBe(LINES)
})

test('what is wrong is one line and a status', async () => {
  expect(await run('--version', '7', cases)).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringMatching(/^casemill: [^\n]+7[^\n]+\n$/),
  })
  expect(await run('--version', '1.0', join(folder, 'none'))).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringMatching(/^casemill: there is no file or folder "[^\n]+"; [^\n]+\n$/),
  })
  expect(await run(cases)).toMatchObject({ status: 2, out: '' })
})
