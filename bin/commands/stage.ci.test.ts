import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedState } from '../../engine/internal.ts'
import { madeStaging } from '../../engine/registry/staging/store/support/made-staging.ts'
import { runProgram } from '../support/program.ts'

const PROGRAM = fileURLToPath(new URL('../casemill.ts', import.meta.url))

let folder: string
let cases: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-stage-'))
  const state = sharedState({ dataFolder: folder })
  await madeStaging(state)
  await state.close()
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
/** Returns the results for cases from a file, or from standard input, which has no name. */
const answersOf = (file: string | undefined) =>
  [
    ...Array.from({ length: 1000 }, () => FAILED),
    JSON.stringify({
      line: 1001,
      file,
      error: { code: 'bad_input', message: 'the body is no object; give keys with texts' },
    }),
    ...[FAILED, ''],
  ].join('\n')

test('stage answers a line for each line of a file; a bad one with an error, and status 1', async () => {
  expect(await run('--version', '1.0', cases)).toEqual({
    status: 1,
    signal: null,
    out: answersOf(cases),
    err: `casemill: ${cases}: 1 line has an error as result\n`,
  })
})

test.each([
  [['--from', '1.0', '--hints'], "'--from <version>' cannot be used with option '--hints'"],
  [['--ignore', 'a', '--'], 'requires --from VERSION'],
])('stage refuses what would do nothing: %j', async (words, sentence) => {
  const { status, out, err } = await run('--version', '1.0', ...words, cases)
  expect({ status, out }).toEqual({ status: 2, out: '' })
  expect(err).toContain(sentence)
})

test('hints name keys that no schema has, and what an input is called elsewhere, line by line', async () => {
  const some = join(folder, 'some.ndjson')
  const input = { site: 'C000', hyst: '8000' }
  writeFileSync(
    some,
    `${JSON.stringify(input)}\n${JSON.stringify({ site: 'C000', hist: '8000' })}\n`,
  )
  const { status, out } = await run('--version', '1.0', '--hints', '--naaccr', some)
  expect(status).toBe(0)
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([
    {
      result: 'FAILED_MISSING_SITE_OR_HISTOLOGY',
      input,
      output: {},
      errors: [],
      path: [],
      hints: { warnings: ['no schema has an input "hyst"; did you mean "hist"?'] },
    },
    expect.objectContaining({
      result: 'FAILED_INVALID_YEAR_DX',
      hints: {
        warnings: [
          'schema "made" takes no such "year_dx"; table "year" lists 2018-{{ctx_year_current}}',
        ],
      },
      naaccr: { input: {}, output: {} },
    }),
  ])
})

test('a file that is gzip is inflated, and one that is cut off is refused by its name', async () => {
  const packed = join(folder, 'cases.ndjson.gz')
  writeFileSync(packed, gzipSync(readFileSync(cases)))
  expect(await run('--version', '1.0', packed)).toMatchObject({ status: 1, out: answersOf(packed) })
  const out = join(folder, 'cut.out')
  writeFileSync(packed, gzipSync(readFileSync(cases)).subarray(0, -20))
  expect(await run('--version', '1.0', packed, '-o', out)).toMatchObject({
    status: 1,
    err: `casemill: "${packed}" starts like gzip but cannot be inflated; give a complete file\n`,
  })
  expect(existsSync(out)).toBe(false)
})

test('lines can come through a pipe that has a name', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const writing = spawn('sh', ['-c', 'cat "$1" > "$2"', 'sh', cases, pipe], { stdio: 'ignore' })
  expect(await run('--version', '1.0', pipe)).toMatchObject({ status: 1, out: answersOf(pipe) })
  writing.kill()
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
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'casemill: 1 line has an error as result\n',
  })
  expect(readFileSync(out, 'utf8')).toBe(answersOf(undefined))
})

test('a key that no schema has is reported, with the one that was meant', async () => {
  const mistyped = join(folder, 'mistyped.ndjson')
  writeFileSync(mistyped, '{"site":"C509","hyst":"8500"}\n')
  const { status, err } = await run('--version', '1.0', mistyped)
  expect(status).toBe(0)
  expect(err).toBe('casemill: warning: no schema has an input "hyst"; did you mean "hist"?\n')
})

test('an error is one line and a status', async () => {
  expect(await run('--version', '1.0.', cases)).toMatchObject({
    status: 1,
    out: '',
    err: 'casemill: algorithm "made" has no version "1.0."; there are: made 1.0; did you mean "1.0"?\n',
  })
  expect(await run('--version', '1.0', '--algorithm', 'maed', cases)).toMatchObject({
    status: 1,
    err: 'casemill: there is no algorithm "maed"; there are: made 1.0; did you mean "made"?\n',
  })
  expect(await run('--version', '1.0', join(folder, 'none'))).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringMatching(/^casemill: there is no file or folder "[^\n]+"; [^\n]+\n$/),
  })
  expect(await run(cases)).toMatchObject({
    status: 2,
    out: '',
    err: 'casemill: give --algorithm NAME and --version NAME; there are: made 1.0\n',
  })
})

test('staging list shows the versions that there are', async () => {
  const list = (...args: readonly string[]) =>
    runProgram(['staging', 'list', ...args], { CASEMILL_DATA: folder })
  const [header, row] = (await list()).out.split('\n')
  expect(header).toBe('algorithm\tversion\ttype\tchanged')
  expect(row).toMatch(/^made\t1\.0\tPRODUCTION\t\d{4}-\S+Z$/)
  expect(JSON.parse((await list('--json')).out)).toMatchObject([{ algorithm: 'made' }])
})

test('staging codebook lists as columns what chooses the schemas of a version', async () => {
  const named = ['--algorithm', 'made', '--version', '1.0']
  const { status, out } = await runProgram(
    ['staging', 'codebook', ...named, '--part', 'selection', 'output'],
    { CASEMILL_DATA: folder },
  )
  const [head = '', ...lines] = out.split('\n')
  expect([status, head.split('\t').slice(0, 6)]).toEqual([
    ...[0, ['part', 'schema', 'schema_num', 'schema_name', 'sites', 'histologies']],
  ])
  expect(lines.map((line) => line.trimEnd())).toEqual([
    ...['selection\tmade\t\t\tC000\t*', 'output\tmade\t\t\t\t\tout', ''],
  ])
})
