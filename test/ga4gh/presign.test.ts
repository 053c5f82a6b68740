import { afterAll, beforeAll, expect, test } from 'vitest'
import { ObjectStore } from '../../engine/shared/blobs/object-store.ts'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { type HtsWorld, openHtsWorld, type Token } from './support/hts-world.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'

// Tickets whose ranges a bucket gives by addresses of its own: of open files where that is said, of
// controlled ones where that is said too.

const clock = { now: Date.now() }
let s3: S3Server
let open: HtsWorld
let closed: HtsWorld
let token: Token

beforeAll(async () => {
  s3 = await startS3()
  const places = (prefix: string) => ({
    objects: { ...s3.options, prefix },
    clock: () => new Date(clock.now),
  })
  const presigning = { open: true, controlled: false }
  open = await openHtsWorld({ access: 'open', engine: { ...places('open'), presigning } })
  closed = await openHtsWorld({ engine: { ...places('closed'), presigning } })
  token = await closed.token()
})
afterAll(async () => {
  await open?.[Symbol.asyncDispose]()
  await closed?.[Symbol.asyncDispose]()
  await s3?.stop()
})

const ticketOf = async (world: HtsWorld, query: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${world.server.address}/reads/${world.bamId}${query}`, { headers })
  expect(response.status).toBe(200)
  return (await response.json()) as Ticket
}
const rangesOf = ({ htsget }: Ticket) => htsget.urls.filter(({ url }) => !url.startsWith('data:'))

test('ranges of an open file come from the bucket, and make the slice', async () => {
  const ticket = await ticketOf(open, '?referenceName=chr1')
  const ranges = rangesOf(ticket)
  expect(ranges.length).toBeGreaterThan(0)
  for (const { url, headers } of ranges) {
    const { origin, searchParams } = new URL(url)
    expect(origin).toBe(s3.options.endpoint)
    // With more than the host signed, one address would not do for all ranges.
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host')
    expect(Number(searchParams.get('X-Amz-Expires'))).toBe(900)
    expect(Object.keys(headers ?? {}).toSorted()).toEqual(['If-Match', 'Range'])
  }
  const slice = await fetch(`${open.server.address}/slicing/view/${open.bamId}?region=chr1`)
  const bytes = Buffer.from(await slice.arrayBuffer())
  expect((await bytesOfTicket(ticket)).equals(bytes)).toBe(true)
})

test('a page of a browser is not given what would have the bucket asked first', async () => {
  const ticket = await ticketOf(open, '?referenceName=chr1', { origin: 'https://viewer.example' })
  for (const { headers } of rangesOf(ticket)) expect(Object.keys(headers ?? {})).toEqual(['Range'])
})

test('an address is used again while half of its time is left', async () => {
  const first = rangesOf(await ticketOf(open, ''))[0]?.url
  clock.now += 449_000
  expect(rangesOf(await ticketOf(open, ''))[0]?.url).toBe(first)
  clock.now += 2000
  expect(rangesOf(await ticketOf(open, ''))[0]?.url).not.toBe(first)
})

test('a controlled file is given by the service alone, unless that is said', async () => {
  const ticket = await ticketOf(closed, '?referenceName=chr1', token.headers)
  for (const { url, headers } of rangesOf(ticket)) {
    expect(url).toBe(`${closed.server.address}/data/${closed.bamId}`)
    expect(Object.keys(headers ?? {}).toSorted()).toEqual(['Range', 'X-Ticket'])
  }
})

test('an address ends no later than the credentials that signed it', async () => {
  const now = new Date()
  const expiration = new Date(now.getTime() + 120_000)
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', expiration }
  const store = new ObjectStore({ ...s3.options, credentials })
  const key = { id: open.bamId, name: 'reads.bam' }
  const { url, expiresAt } = await store.presign(key, { now, seconds: 900 })
  expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('120')
  expect(expiresAt.getTime()).toBe(now.getTime() + 120_000)
  expect(url).not.toContain('secretAccessKey')
  await store.close()
})
