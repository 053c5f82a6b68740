import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withAuditRecord } from '../../engine/internal.ts'
import { runProgram, startProgram } from '../support/program.ts'

let root = ''
let data = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'casemill-audit-'))
  data = join(root, 'data')
})
afterEach(() => rmSync(root, { recursive: true }))

const ON = { CASEMILL_AUDIT: 'true' }
const run = (words: readonly string[], environment = ON) =>
  runProgram([...words, '--data', data], environment)

/** Records two answers of different users. */
async function recordAnswers(): Promise<void> {
  await withAuditRecord({ dataFolder: data }, async (record) => {
    for (const [subject, files] of [
      ['ada', ['f-1', 'f-2']],
      ['bob', Array.from({ length: 150 }, (_, i) => `f-${i + 2}`)],
    ] as const) {
      const answer = {
        request: `of-${subject}`,
        action: 'GET /data/{ids}',
        subject,
        credential: { kind: 'token', id: '00000000000000aa' },
        release: 'r-1',
        status: 200,
        bytes: 7,
      }
      await record.answer(answer, { files, cases: ['c-1'] })
    }
  })
}

const exported = async (...words: string[]) => {
  const { status, out, err } = await run(['audit', 'export', ...words])
  if (status !== 0) throw new Error(err)
  const lines = out.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
}

test('commands of operators are recorded while the record is kept, and not otherwise', async () => {
  const off = await run(['token', 'create', '--user', 'ada'], { CASEMILL_AUDIT: '' })
  expect([off.status, existsSync(join(data, 'audit'))]).toEqual([0, false])
  const { status, out, err } = await run([
    'token',
    'create',
    '--user',
    'bob',
    '--project',
    'P-1:read',
  ])
  expect(status).toBe(0)
  expect((await run(['token', 'list'])).status).toBe(0)
  const id = /token ([0-9a-f]{16}) of bob/.exec(err)?.[1] ?? ''
  expect((await run(['token', 'revoke', id])).status).toBe(0)
  const events = await exported()
  const common = { kind: 'command', subject: userInfo().username }
  expect(events).toMatchObject([
    { ...common, action: 'casemill token create', outcome: 'started' },
    { ...common, action: 'casemill token create', outcome: 'done' },
    { ...common, action: 'casemill token revoke', outcome: 'started' },
    { ...common, action: 'casemill token revoke', outcome: 'done' },
  ])
  const [made, , revoked] = events
  expect(events.map(({ run }) => run)).toEqual([made, made, revoked, revoked].map((e) => e?.run))
  expect(events.map(({ parameters }) => JSON.parse(String(parameters)) as unknown)).toEqual([
    { user: 'bob', project: 'P-1:read' },
    { user: 'bob', project: 'P-1:read' },
    { arguments: id },
    { arguments: id },
  ])
  // The random part may have underscores of its own.
  const secret = out.trim().slice(`${id}_`.length)
  expect(secret).toHaveLength(43)
  expect(JSON.stringify(events)).not.toContain(secret)
})

test('an import of files is recorded, and a list of the files of a project is not', async () => {
  for (const words of [
    ['import', 'files', '--manifest', join(root, 'none.txt'), '--from', root],
    ['project', 'files', 'P-1'],
    ['project', 'list'],
    ['access', 'list'],
  ]) {
    await run(words)
  }
  const events = (await exported()).map(({ action, outcome }) => [action, outcome])
  expect(events).toEqual([
    ['casemill import files', 'started'],
    ['casemill import files', 'failed'],
  ])
})

test('secrets that were given instead of ids, and signed addresses, are not recorded', async () => {
  const { out } = await run(['token', 'create', '--user', 'ada'])
  const secret = out.trim()
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'
  const issuer = 'https://user:word@login.example.org/a?X-Signature=5f3a'
  await run(['token', 'revoke', secret])
  await run(['token', 'revoke', `cmp_${secret}`])
  await run(['access', 'revoke', '--issuer', issuer, '--token', jwt])
  const ended = (await exported()).filter(({ outcome }) => outcome !== 'started')
  const given = ended.slice(1).map(({ parameters }) => String(parameters))
  const id = secret.split('_')[0]
  expect(given.map((text) => JSON.parse(text) as unknown)).toEqual([
    { arguments: `${id}_...` },
    { arguments: `cmp_${id}_...` },
    { issuer: 'https://login.example.org/a?...', token: 'eyJ...' },
  ])
})

test.each([
  ['SIGKILL', ['started']],
  ['SIGTERM', ['started', 'interrupted']],
] as const)('a command that %s ends is recorded as %j', async (signal, outcomes) => {
  const pipe = join(root, 'cases.ndjson')
  execFileSync('mkfifo', [pipe])
  const child = startProgram(['import', 'commons', pipe, '--data', data], ON)
  child.stderr.resume()
  child.stdout.resume()
  // The command waits for what comes from the pipe. The line before it is on the disk by then.
  const writer = await open(pipe, 'w')
  const ended = once(child, 'exit')
  child.kill(signal)
  // A read of a pipe returns only with bytes. Writing fails once nobody reads any more.
  const pour = async () => {
    for (;;) await writer.write('\n'.repeat(4096))
  }
  await expect(pour()).rejects.toThrow('EPIPE')
  await ended
  await writer.close()
  const events = (await exported()).map(({ action, outcome }) => [action, outcome])
  expect(events).toEqual(outcomes.map((outcome) => ['casemill import commons', outcome]))
  expect((await run(['audit', 'verify'])).status).toBe(0)
})

test('a command whose line cannot be written does not run', async () => {
  writeFileSync(join(root, 'data'), 'not a folder')
  const { status, out } = await run(['token', 'create', '--user', 'ada'])
  expect([status, out]).toEqual([1, ''])
})

test('export selects by subject, file, case and time, with the ids of long lists', async () => {
  await recordAnswers()
  const subjects = async (...words: string[]) =>
    (await exported(...words)).map(({ subject }) => subject)
  expect(await subjects()).toEqual(['ada', 'bob'])
  expect(await subjects('--subject', 'bob')).toEqual(['bob'])
  expect(await subjects('--file', 'f-1')).toEqual(['ada'])
  expect(await subjects('--file', 'F-100')).toEqual(['bob'])
  expect(await subjects('--case', 'c-1')).toEqual(['ada', 'bob'])
  expect(await subjects('--case', 'c-2')).toEqual([])
  expect(await subjects('--since', '2999-01-01')).toEqual([])
  expect(await subjects('--until', '2000-01-01')).toEqual([])
  const today = new Date().toISOString().slice(0, 10)
  expect(await subjects('--since', today, '--until', '2999-01-01T00:00:00Z')).toEqual([
    'ada',
    'bob',
  ])
  const { status, err } = await run(['audit', 'export', '--since', 'yesterday'])
  expect([status, err]).toEqual([1, expect.stringContaining('use YYYY-MM-DD')])
})

test('export unites the records of nodes, and refuses the same node twice', async () => {
  await recordAnswers()
  const other = join(root, 'other')
  await withAuditRecord({ dataFolder: other }, (record) =>
    record.command({
      action: 'casemill upgrade',
      subject: 'root',
      run: '1',
      outcome: 'done',
      parameters: {},
    }),
  )
  const events = await exported(other)
  expect(events.map(({ subject }) => subject)).toEqual(['ada', 'bob', 'root'])
  expect(new Set(events.map(({ node }) => node)).size).toBe(2)
  cpSync(join(other, 'audit'), join(root, 'copy', 'audit'), { recursive: true })
  const { status, err } = await run(['audit', 'export', other, join(root, 'copy')])
  expect([status, err]).toEqual([1, expect.stringMatching(/two of the folders .* name each node/)])
})

test('export as Parquet has the same events as NDJSON', async () => {
  await recordAnswers()
  const path = join(root, 'had.parquet')
  const { status, err } = await run(['audit', 'export', '--format', 'parquet', '-o', path])
  expect([status, err]).toEqual([0, ''])
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(
    `SELECT subject, action, len(files) AS files, strftime(time, '%Y-%m-%dT%H:%M:%S.%gZ') AS time
     FROM '${path}'`,
  )
  const rows = reader.getRowObjectsJson()
  connection.closeSync()
  instance.closeSync()
  const events = await exported()
  expect(rows).toEqual(
    events.map(({ subject, action, files, time }) => ({
      subject,
      action,
      files: String((files as readonly string[]).length),
      time,
    })),
  )
})

test('verify says that the record is intact, and gives another seal after another line', async () => {
  await recordAnswers()
  const first = await run(['audit', 'verify'])
  expect([first.status, first.err]).toEqual([0, 'the record is intact\n'])
  expect(first.out).toMatch(/^seal\t\S+\t1 segments, 4 lines, [0-9a-f]{64}\n$/)
  expect((await run(['audit', 'verify'])).out).toBe(first.out)
  await recordAnswers()
  expect((await run(['audit', 'verify'])).out).not.toBe(first.out)
})

test('verify names the segment and line that was changed, with exit status 1', async () => {
  await recordAnswers()
  const folder = join(data, 'audit')
  const [name = ''] = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((one) => one.endsWith('.ndjson'))
  const path = join(folder, name)
  writeFileSync(path, readFileSync(path, 'utf8').replace('"ada"', '"eve"'))
  const { status, out } = await run(['audit', 'verify'])
  expect(status).toBe(1)
  expect(out).toContain(`wrong\t${name}\tline 3 does not have the hash of the line before\n`)
})

test('without a record, both commands say how to keep one', async () => {
  for (const word of ['verify', 'export']) {
    const { status, err } = await run(['audit', word])
    expect([status, err]).toEqual([1, expect.stringContaining('CASEMILL_AUDIT=true')])
  }
})
