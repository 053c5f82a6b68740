import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ObjectStore } from '../engine/shared/blobs/object-store.ts'
import { type S3Server, startS3 } from '../engine/shared/blobs/support/s3-server.ts'
import { checkBucketCors } from './bucket-cors.ts'

// Checks how a bucket answers the preflight request of a page of another origin. Like S3, s3rver answers
// according to the rules of the bucket.

const ORIGIN = 'https://viewer.example'
/** A rule as in section 5 of docs/interfaces/ga4gh.md. */
interface Rule {
  readonly AllowedOrigins: string[]
  readonly AllowedMethods: string[]
  readonly AllowedHeaders?: string[]
}

let s3: S3Server
let store: ObjectStore
let documented: Rule[]

beforeAll(async () => {
  s3 = await startS3()
  store = new ObjectStore(s3.options)
  const page = await readFile(join(import.meta.dirname, '../docs/interfaces/ga4gh.md'), 'utf8')
  documented = JSON.parse(/```json\n(\[\n.*?\n\])\n```/s.exec(page)?.[1] ?? '') as Rule[]
})
beforeEach(() => {
  s3.intercept = () => false
})
afterAll(async () => {
  await store?.close()
  await s3?.stop()
})

async function giveRules(CORSRules: Rule[]): Promise<void> {
  const { bucket: Bucket, endpoint, credentials } = s3.options
  const client = new S3Client({
    region: 'us-east-1',
    forcePathStyle: true,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
  })
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))
  client.destroy()
}

async function problemsOf(origin = ORIGIN): Promise<readonly string[]> {
  const { signal } = new AbortController()
  const problems: string[] = []
  for await (const { subject, problem, isNote } of checkBucketCors(store, { origin, signal })) {
    expect([subject, isNote]).toEqual(['bucket', true])
    expect(problem).toMatch(/; give the bucket the rule of docs\/interfaces\/ga4gh.md, section 5;/)
    problems.push(problem)
  }
  return problems
}

test('a bucket without a rule is reported', async () => {
  expect(await problemsOf()).toEqual([expect.stringContaining('pages of https://viewer.example')])
})

test('the documented rule is enough', async () => {
  await giveRules(documented)
  expect(await problemsOf()).toEqual([])
})

test.each([
  ['another origin', { AllowedOrigins: ['https://other.example'] }],
  ['another method', { AllowedMethods: ['PUT'] }],
  ['another header', { AllowedHeaders: ['If-Match'] }],
])('a rule for %s is not', async (_, other) => {
  await giveRules([{ ...documented[0]!, ...other }])
  expect(await problemsOf()).toHaveLength(1)
})

test('a rule for the origin of a page is enough for it alone', async () => {
  await giveRules([{ ...documented[0]!, AllowedOrigins: [ORIGIN] }])
  expect(await problemsOf()).toEqual([])
  expect(await problemsOf('https://other.example')).toHaveLength(1)
})

// Other stores answer with 200 and leave out the headers of what they do not permit.
test.each([
  [{}, 'does not allow that origin'],
  [{ 'access-control-allow-origin': ORIGIN }, 'does not allow them GET'],
  [
    { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'PUT, GET' },
    'does not allow them the header Range',
  ],
])('an answer with %j is no permission', async (headers, problem) => {
  s3.intercept = (_, response) => {
    response.writeHead(200, headers).end()
    return true
  }
  expect(await problemsOf()).toEqual([expect.stringContaining(problem)])
})

test('a bucket that breaks the connection off is reported', async () => {
  s3.intercept = (request) => {
    request.socket.destroy()
    return true
  }
  expect(await problemsOf()).toEqual([expect.stringContaining('has no answer')])
})
