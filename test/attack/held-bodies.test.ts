import { afterEach, expect, test, vi } from 'vitest'
import type { Config } from '../../server/config.ts'
import { drip, type FakeServer, openRaw, startFake } from './support/wire.ts'

// Clients send most of a body and then nothing, or almost nothing. The memory held for them is limited, and
// clients that send take their places.

const KiB = 1024
const WAITING = { timeout: 60_000 }
const CHUNK_BYTES = 400 * KiB
/** The limit is too small for three such pieces. */
const HELD_BYTES = 1024 * KiB

let server: FakeServer

afterEach(() => server.close())

const start = async (settings: Partial<Config>) => {
  server = await startFake({ stallSeconds: 3600, heldBodyBytes: HELD_BYTES, ...settings })
}

const post = (length: number, begin: string) =>
  `POST /slicing/view/open HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${begin}`
const HONEST = '{"regions":["chr1"]}'
const STALLED = post(CHUNK_BYTES + 100, ' '.repeat(CHUNK_BYTES))
const BUSY = /^HTTP\/1.1 503 .*\r\nretry-after: 5\r\n.*\{"error":"the bodies of all requests/s

test('bodies that stall are given up for new ones, and those are read', async () => {
  await start({})
  const stalled: Awaited<ReturnType<typeof openRaw>>[] = []
  for (let i = 0; i < 8; i++) stalled.push(await openRaw(server, STALLED))
  const isGivenUp = () => stalled.filter((client) => BUSY.test(client.text())).length
  // Two of the bodies fit; each of the others was either rejected or replaced an earlier one.
  await vi.waitFor(() => expect(isGivenUp()).toBe(6), WAITING)
  for (let i = 0; i < 5; i++) {
    const honest = await openRaw(server, post(HONEST.length, HONEST))
    expect(await honest.end()).toMatch(/^HTTP\/1.1 206 /)
  }
})

test('a large body gets the place of those that stall', async () => {
  await start({})
  for (let i = 0; i < 2; i++) await openRaw(server, STALLED)
  const large = ' '.repeat(HELD_BYTES - 100 * KiB) + HONEST
  await vi.waitFor(async () => {
    const honest = await openRaw(server, post(large.length, large))
    expect(await honest.end()).toMatch(/^HTTP\/1.1 206 /)
  }, WAITING)
})

test('a body below the least rate is given up, held or passed on', async () => {
  await start({ stallSeconds: 1, bodyRate: 1000 })
  const slow = await openRaw(server, post(100_000, '{'))
  drip(slow, ' ')
  expect(await slow.end()).toMatch(/^HTTP\/1.1 400 .*took too long to arrive/s)
})
