import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ObjectStore } from '../../engine/shared/blobs/object-store.ts'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { type HtsWorld, openHtsWorld, type Token } from './support/hts-world.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'

// Tickets whose ranges are presigned addresses of a bucket, and access by DRS: for open files if configured, and
// for controlled ones if that is configured too.

const clock = { now: Date.now() }
let s3: S3Server
let open: HtsWorld
let closed: HtsWorld
/** A service configured to do so for controlled files as well. */
let lax: HtsWorld
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
  const all = { open: true, controlled: true }
  lax = await openHtsWorld({ engine: { ...places('lax'), presigning: all } })
  token = await closed.token()
})
afterAll(async () => {
  await open?.[Symbol.asyncDispose]()
  await closed?.[Symbol.asyncDispose]()
  await lax?.[Symbol.asyncDispose]()
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
    // If headers other than the host were signed, one address would not work for all ranges.
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

/** An answer to a request for access (DRS 1.5, AccessURL), whose headers are lines. */
interface AccessUrl {
  readonly url: string
  readonly headers?: readonly string[]
}

const accessTo = async (world: HtsWorld, headers: Record<string, string> = {}) => {
  const path = `/ga4gh/drs/v1/objects/${world.bamId}/access/https`
  const response = await fetch(`${world.server.address}${path}`, { headers })
  expect(response.status).toBe(200)
  return (await response.json()) as AccessUrl
}
const pairsOf = ({ headers = [] }: AccessUrl) =>
  headers.map((line) => line.split(': ', 2) as [name: string, value: string])

describe('access of DRS', () => {
  test.each([
    ['an open file', () => open, {}],
    ['a controlled file where that is said', () => lax, undefined],
  ])('to %s leads to the bucket, and to these bytes alone', async (_, worldOf, headers) => {
    const world = worldOf()
    const access = await accessTo(world, headers ?? (await world.token()).headers)
    expect(new URL(access.url).origin).toBe(s3.options.endpoint)
    const sent = await fetch(access.url, { headers: pairsOf(access) })
    expect(sent.status).toBe(200)
    expect(Buffer.from(await sent.arrayBuffer()).equals(await readFile(world.bamPath))).toBe(true)
    // The test bucket ignores the condition, by which it should reject other bytes.
    expect(pairsOf(access)).toEqual([['If-Match', sent.headers.get('etag')]])
  })

  test('of a page has no headers', async () => {
    const origin = 'https://viewer.example'
    expect(Object.keys(await accessTo(open, { origin }))).toEqual(['url'])
  })

  test('to several objects leads there, too', async () => {
    const asked = [{ bulk_object_id: open.bamId, bulk_access_ids: ['https'] }]
    const response = await fetch(`${open.server.address}/ga4gh/drs/v1/objects/access`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ bulk_object_access_ids: asked }),
    })
    const answer = (await response.json()) as { resolved_drs_object_access_urls: AccessUrl[] }
    expect(answer.resolved_drs_object_access_urls).toMatchObject([
      { ...(await accessTo(open)), drs_object_id: open.bamId },
    ])
  })

  test('to a controlled file leads to the service alone, unless that is said', async () => {
    const access = await accessTo(closed, token.headers)
    expect(access.url).toBe(`${closed.server.address}/data/${closed.bamId}`)
    expect(pairsOf(access).map(([name]) => name)).toEqual(['X-Ticket'])
  })

  test('needs the right to a file before it gives an address of the bucket', async () => {
    const stranger = await lax.token('BETA-1')
    const url = `${lax.server.address}/ga4gh/drs/v1/objects/${lax.bamId}/access/https`
    for (const [headers, status] of [
      [{}, 401],
      [stranger.headers, 403],
    ] as const) {
      const response = await fetch(url, { headers })
      expect(response.status).toBe(status)
      expect(await response.text()).not.toContain(s3.options.endpoint)
    }
  })
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
