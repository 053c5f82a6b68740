import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { ObjectStore } from '../../engine/shared/internal.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { eventually } from '../../test/eventually.ts'
import { runProgram, startProgram } from '../support/program.ts'

let folder: string
let s3: S3Server
let store: ObjectStore
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-batch-bucket-'))
  // Anything that a killed process left there is removed with the folder.
  mkdirSync(at('tmp'))
  s3 = await startS3()
  store = new ObjectStore(s3.options)
})
afterEach(() => {
  s3.intercept = () => false
})
afterAll(async () => {
  await store.close()
  await s3.stop()
  rmSync(folder, { recursive: true, force: true })
})

const at = (name: string) => join(folder, name)
const environment = () => ({
  CASEMILL_DATA: undefined,
  SLURM_ARRAY_TASK_ID: undefined,
  JOB_COMPLETION_INDEX: undefined,
  SLURM_CPUS_PER_TASK: undefined,
  ...s3.environment,
  TMPDIR: at('tmp'),
})
const run = (...args: readonly string[]) => runProgram(args, environment())

const tumour = (histology: string) => ({
  primary_site: 'C770',
  histology_icd_o3: histology,
  behavior_icd_o3: '3',
  date_of_diagnosis_year: '1998',
  date_of_diagnosis_month: '01',
})
const PAIR = JSON.stringify({ input1: tumour('9650'), input2: tumour('9667') })

/** Plans pairs of a separate file in three shards, below a separate prefix. */
async function planned(name: string) {
  const input = at(`${name}.ndjson`)
  writeFileSync(input, Array.from({ length: 900 }, (_, i) => (i % 7 ? PAIR : 'no JSON')).join('\n'))
  const words = ['plan', 'mph', input, '--shards', '3', '--bucket', `batches/${name}`] as const
  expect(await run(...words)).toMatchObject({ status: 0, out: '3\n', err: '' })
  return {
    input,
    words,
    place: ['--bucket', `batches/${name}`] as const,
    prefix: `batches/${name}`,
  }
}

async function mustRun(...args: readonly string[]): Promise<string> {
  const { status, err } = await run(...args)
  expect({ status, err }).toMatchObject({ status: 0 })
  return err
}

test('shards that meet in a bucket are joined to what one run prints', async () => {
  const { input, words, place } = await planned('plain')
  expect(await run(...words)).toMatchObject({ status: 0, err: expect.stringMatching(/already\n$/) })
  const other = await run('plan', 'mph', input, '--shards', '2', ...place)
  expect(other).toMatchObject({ status: 1, err: expect.stringContaining('has another plan') })
  expect(await run('join', ...place)).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringContaining('shards 1, 2, 3 of 3 are missing in "batches/plain"'),
  })
  await mustRun('shard', '3/3', ...place)
  await mustRun('shard', '1/3', ...place)
  const { err } = await run('join', ...place)
  expect(err).toContain('shard 2 of 3 is missing in "batches/plain"')
  await mustRun('shard', '2/3', ...place)
  expect(await mustRun('shard', '2/3', ...place)).toMatch(/, was done before\n$/)
  const { status, out, err: told } = await run('mph', input)
  expect(status).toBe(1)
  expect(await run('join', ...place)).toMatchObject({ status, out, err: told })
})

test('a shard that is killed while it is sent is missing, and is done by the next call', async () => {
  const { input, place } = await planned('killed')
  for (const shard of ['2/3', '3/3']) await mustRun('shard', shard, ...place)
  for (const file of ['answers.ndjson', 'marker.json']) {
    const before = (await s3.keys()).length
    let hasCome = false
    s3.intercept = ({ method, url = '' }) => {
      const isHeld = method === 'PUT' && url.includes('/shard-00001/') && url.includes(file)
      hasCome ||= isHeld
      // The request never gets a response.
      return isHeld
    }
    const child = startProgram(['shard', '1/3', ...place], environment())
    const ended = once(child, 'exit')
    await eventually(() => expect(hasCome).toBe(true))
    child.kill('SIGKILL')
    await ended
    // The second time, the results are there without a marker.
    expect((await s3.keys()).length - before).toBe(file === 'marker.json' ? 1 : 0)
    expect(await run('join', ...place)).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringContaining('shard 1 of 3 is missing'),
    })
  }
  s3.intercept = () => false
  expect(await mustRun('shard', '1/3', ...place)).not.toContain('was done before')
  expect((await run('join', ...place)).out).toBe((await run('mph', input)).out)
})

/** Stores the objects of a shard again, as a second attempt whose bytes are changed. */
async function repeat(prefix: string, change: (name: string, bytes: Buffer) => Buffer) {
  const objects = store.folder(`${prefix}/shard-00001`)
  const keys: string[] = []
  for await (const { key } of objects.list()) keys.push(key)
  for (const key of keys) {
    const blob = await objects.open(key)
    const bytes = Buffer.alloc(blob.identity.size)
    await blob.read(bytes, 0)
    await blob.close()
    const [, name = ''] = key.split('/')
    await objects.putBytes(`ffffffff/${name}`, change(name, bytes))
  }
}

test('a shard that is there twice counts once, and is refused with other content', async () => {
  const { input, place, prefix } = await planned('twice')
  for (const shard of ['1/3', '2/3', '3/3']) await mustRun('shard', shard, ...place)
  await repeat(prefix, (_, bytes) => bytes)
  expect((await run('join', ...place)).out).toBe((await run('mph', input)).out)
  // The number of bytes is different.
  await repeat(prefix, (name, bytes) =>
    name === 'marker.json' ? Buffer.from(bytes.toString().replace('"bytes":', '"bytes":1')) : bytes,
  )
  const { status, out, err } = await run('join', ...place)
  expect({ status, out }).toEqual({ status: 1, out: '' })
  expect(err).toMatch(
    /shard 1 exists twice with different content, in "batches\/twice\/shard-00001\/[\w-]+" and "batches\/twice\/shard-00001\/ffffffff"/,
  )
})

test('two processes that do one shard of BAM files do no harm', async () => {
  await makeBam({ path: at('a.bam'), scale: 'tiny', style: 'htslib', seed: 1, index: 'bai' })
  const place = ['--bucket', 'batches/bam'] as const
  expect(await run('plan', 'bam', at('a.bam'), ...place)).toMatchObject({ status: 0, out: '1\n' })
  await mustRun('shard', '1/1', ...place)
  // Another process has looked before that was stored.
  s3.intercept = ({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://localhost')
    if (searchParams.get('prefix') !== 'batches/bam/shard-00001/') return false
    if (searchParams.has('uploads')) return false
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')
    return true
  }
  expect(await mustRun('shard', '1/1', ...place)).not.toContain('was done before')
  s3.intercept = () => false
  const joined = await run('join', ...place, '--data', at('data'))
  expect(joined).toMatchObject({ status: 0, out: expect.stringMatching(/^\S+\n$/) })
  expect(await run('check', '--deep', '--data', at('data'))).toMatchObject({ status: 0 })
})

test('what is wrong with a call is reported', async () => {
  writeFileSync(at('one.ndjson'), PAIR)
  const plan = ['plan', 'mph', at('one.ndjson')] as const
  expect(await run(...plan)).toMatchObject({ status: 2 })
  expect(await run(...plan, '--bucket', 'a', '--out', at('b'))).toMatchObject({ status: 2 })
  expect(await run('shard', '1/1')).toMatchObject({ status: 2 })
  expect(await run('join', '--plan', at('b'), '--bucket', 'a')).toMatchObject({ status: 2 })
  expect(await run(...plan, '--bucket', 'releases/a')).toMatchObject({
    status: 1,
    err: expect.stringContaining('not below "releases"'),
  })
  expect(await run('join', '--bucket', 'nowhere')).toMatchObject({
    status: 1,
    err: expect.stringContaining('"plan.json" is not in bucket'),
  })
  const none = { ...environment(), CASEMILL_S3_BUCKET: undefined }
  expect(await runProgram([...plan, '--bucket', 'a'], none)).toMatchObject({
    status: 1,
    err: expect.stringContaining('set CASEMILL_S3_BUCKET'),
  })
  expect(readFileSync(at('one.ndjson'), 'utf8')).toBe(PAIR)
})
