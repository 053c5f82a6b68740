import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, inject, test } from 'vitest'
import { startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { runCommand } from '../support/command.ts'
import { runProgram, startProgram } from '../support/program.ts'

test('a check tells that a bucket has no rule for pages of another origin', async () => {
  await using stack = new AsyncDisposableStack()
  const s3 = await startS3()
  stack.defer(() => s3.stop())
  const data = mkdtempSync(join(tmpdir(), 'casemill-check-bucket-'))
  stack.defer(() => rmSync(data, { recursive: true }))
  const settings = { ...s3.environment, CASEMILL_DATA: data }
  await runCommand(['token', 'create', '--user', 'ada'], settings)
  const checked = (presign: string) =>
    runProgram(['check', '--origin', 'https://viewer.example'], {
      ...settings,
      CASEMILL_PRESIGN: presign,
    })
  expect(await checked('true')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^bucket\tpages of https:\/\/viewer.example cannot read/),
  })
  // If no addresses of the bucket are given to clients, no rule is needed.
  expect(await checked('false')).toMatchObject({ status: 0, out: '' })
})

/** Results by the names of needs, as the command prints them. */
const resultsOf = (out: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    out
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
      .map(([result = '', name = '']) => [name, result]),
  )

test.skipIf(!inject('available').ceph)('a bucket that people run meets all needs', async () => {
  await using stack = new AsyncDisposableStack()
  const s3 = await startS3({ store: 'ceph' })
  stack.defer(() => s3.stop())
  const { endpoint, bucket } = s3.options
  const given = ['check', '--bucket', `${endpoint}/${bucket}/cohort/`]
  const { status, out, err } = await runProgram(given, s3.environment)
  const results = Object.entries(resultsOf(out))
  expect(results.filter(([, result]) => result !== 'holds')).toEqual([
    ['copies', 'note'],
    ['part-copies', 'note'],
  ])
  expect(results).toHaveLength(18)
  expect([status, err]).toEqual([
    0,
    `tried 18 needs in bucket "${bucket}" and removed everything: 16 hold, casemill does without 2, 0 fail\n`,
  ])
  // All of it was below the prefix.
  const written = s3.requests.filter(({ method }) => method !== 'GET')
  const ours = `/${bucket}/cohort/casemill-check-`
  expect(written.filter(({ url }) => !url.startsWith(ours))).toEqual([])
  expect(await s3.keys()).toEqual([])
  expect(await s3.uploads()).toEqual([])
  const refused = { ...s3.environment, AWS_SECRET_ACCESS_KEY: 'another' }
  expect(await runProgram(['check', '--bucket'], refused)).toMatchObject({
    status: 1,
    out: '',
    err: `casemill: object storage refuses access to bucket "${bucket}"; check credentials and policy\n`,
  })
})

test('a bucket with faults fails, and what it lacks is named', async () => {
  await using stack = new AsyncDisposableStack()
  const s3 = await startS3({ store: 's3rver' })
  stack.defer(() => s3.stop())
  const given = ['check', '--bucket', `s3://${s3.options.bucket}/cohort`]
  const { status, out, err } = await runProgram(given, {
    ...s3.environment,
    CASEMILL_S3_BUCKET: 'another',
  })
  expect(status).toBe(1)
  expect(resultsOf(out)).toMatchObject({
    objects: 'holds',
    'if-match': 'fails',
    checksums: 'fails',
    closed: 'fails',
  })
  expect(out).toContain(
    'fails\tif-match\tkeeps If-Match: 412 if the object has another entity tag\ta read with another If-Match is answered with bytes; needed for never joining bytes of two versions of a file\n',
  )
  expect(err).toMatch(
    / and removed everything: \d+ hold, casemill does without \d+, [1-9]\d* fail\n$/,
  )
  expect(await s3.keys()).toEqual([])
})

test('when it is interrupted, it removes what it has stored and begun', async () => {
  await using stack = new AsyncDisposableStack()
  const s3 = await startS3()
  stack.defer(() => s3.stop())
  const isHeld = Promise.withResolvers<void>()
  // The second part of an upload is never answered.
  s3.intercept = ({ method, url }) => {
    if (method !== 'PUT' || !url?.includes('partNumber=1')) return false
    isHeld.resolve()
    return true
  }
  const program = startProgram(['check', '--bucket'], s3.environment)
  const said = text(program.stderr)
  program.stdout.resume()
  await isHeld.promise
  expect(await s3.keys()).not.toEqual([])
  expect(await s3.uploads()).toHaveLength(1)
  program.kill('SIGINT')
  const [status, signal] = await once(program, 'exit')
  expect([status, signal, await said]).toEqual([null, 'SIGINT', 'casemill: interrupted\n'])
  expect(await s3.keys()).toEqual([])
  expect(await s3.uploads()).toEqual([])
})

test.each([
  ['a bucket', '"a bucket" is not the address of a bucket; name one with --bucket s3://'],
  ['https://host', '"https://host" is not the address of a bucket'],
  ['ftp://host/bucket', '"ftp://host/bucket" is not the address of a bucket'],
  ['https://me:secret@host/bucket', '"https://host/bucket" is not the address of a bucket'],
  ['s3://host/bucket?versionId=1', '"s3://host/bucket?versionId=1" is not the address of a bucket'],
  ['s3://a', 'expected the name of a bucket'],
  ['https://host/%', '"https://host/%" is not the address of a bucket'],
])('what is no address of a bucket is refused: %s', async (given, message) => {
  expect(await runProgram(['check', '--bucket', given])).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringContaining(message),
  })
})

test('without an address and a setting, the command says what to set', async () => {
  expect(await runProgram(['check', '--bucket'], { CASEMILL_S3_BUCKET: undefined })).toMatchObject({
    status: 1,
    err: expect.stringMatching(
      /^casemill: no bucket is set up; set CASEMILL_S3_BUCKET, or name one/,
    ),
  })
  expect(await runProgram(['check', '--bucket', '--deep'])).toMatchObject({
    status: 2,
    err: expect.stringContaining('cannot be used with'),
  })
})
