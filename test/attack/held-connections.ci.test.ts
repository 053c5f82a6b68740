import { afterEach, expect, test, vi } from 'vitest'
import type { Config } from '../../server/config.ts'
import { drip, type FakeServer, openRaw, type RawClient, startFake } from './support/wire.ts'

// Clients open connections without sending requests: none stays for ever, and none keeps a client with a request out.

const SHORT = { headSeconds: 1, idleSeconds: 1 } as const
/** The times are longer than any test. */
const LONG = { headSeconds: 3600, idleSeconds: 3600, stallSeconds: 3600 } as const
const WAITING = { timeout: 60_000 }

let server: FakeServer

afterEach(() => server.close())

const start = async (settings: Partial<Config>) => {
  server = await startFake(settings)
}
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const STATUS = get('/status', 'Connection: close\r\n')
const BEGUN = 'GET /status HTTP/1.1\r\nHost: x\r\nX-Slow: '

const isOpen = ({ socket }: RawClient) => !socket.closed
/** Opens connections one after the other, so that the server knows them in this order. */
async function openAll(texts: readonly string[]): Promise<RawClient[]> {
  const clients: RawClient[] = []
  for (const text of texts) clients.push(await openRaw(server, text))
  return clients
}

test('a connection on which nothing comes is closed', async () => {
  await start(SHORT)
  const silent = await openRaw(server)
  await silent.end()
})

test('a head that comes byte after byte is given up', async () => {
  await start(SHORT)
  const slow = await openRaw(server, BEGUN)
  drip(slow, 'a')
  expect(await slow.end()).toMatch(/^HTTP\/1.1 408 .*\{"error":"/s)
})

test('a connection that was answered and stays silent is closed', async () => {
  await start(SHORT)
  const idle = await openRaw(server, get('/status'))
  expect(await idle.end()).toMatch(/^HTTP\/1.1 200 /)
})

test('a body that nobody reads, byte after byte, does not keep its connection', async () => {
  await start(SHORT)
  const slow = await openRaw(server, get('/status', 'Content-Length: 100000\r\n'))
  drip(slow, 'a')
  expect(await slow.end()).toMatch(/^HTTP\/1.1 200 /)
})

test('beyond the bound the longest idle connection and the slowest head give way', async () => {
  await start({ ...LONG, connections: 3 })
  const held = await openAll(['', BEGUN, ''])
  // The first connection has waited since its last answer, so it is closed last. Sending single bytes gains no time.
  for (let answers = 1; answers <= 2; answers++) {
    held[0]?.socket.write(get('/status'))
    await vi.waitFor(
      () => expect(held[0]?.text().match(/HTTP\/1.1 200 /g)).toHaveLength(answers),
      WAITING,
    )
  }
  drip(held[1] as RawClient, 'a')
  for (const open of [[0, 2], [0], []]) {
    const honest = await openRaw(server, get('/status'))
    await vi.waitFor(() => expect(honest.text()).toMatch(/^HTTP\/1.1 200 /), WAITING)
    await vi.waitFor(
      () => expect(held.flatMap((client, i) => (isOpen(client) ? [i] : []))).toEqual(open),
      WAITING,
    )
  }
})

test('a request under way does not give way, however old it is', async () => {
  await start({ ...LONG, connections: 3 })
  const underWay = await openRaw(server, get('/slicing/view/stuck'))
  await vi.waitFor(() => expect(server.slices()).toBe(1), WAITING)
  await openAll(['', ''])
  for (let i = 0; i < 10; i++) {
    const honest = await openRaw(server, STATUS)
    expect(await honest.end()).toMatch(/^HTTP\/1.1 200 /)
  }
  expect(isOpen(underWay)).toBe(true)
})

test('a body that has stopped coming gives way when nobody idles', async () => {
  await start({ ...LONG, connections: 2 })
  const head = 'POST /slicing/view/open HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n'
  const stalled = await openAll([`${head}{"regions":`, `${head}{"regions":`])
  await vi.waitFor(async () => {
    const honest = await openRaw(server, STATUS)
    expect(await honest.end()).toMatch(/^HTTP\/1.1 200 /)
  }, WAITING)
  expect(stalled.filter(isOpen)).toHaveLength(1)
})

test('where all are being answered, who comes too many is told so', async () => {
  await start({ ...LONG, connections: 2 })
  const underWay = await openAll([get('/slicing/view/stuck'), get('/slicing/view/stuck')])
  await vi.waitFor(() => expect(server.slices()).toBe(2), WAITING)
  const refused = await openRaw(server)
  expect(await refused.end()).toMatch(/^HTTP\/1.1 503 .*\r\nRetry-After: 5\r\n.*\{"error":"/s)
  expect(underWay.filter(isOpen)).toHaveLength(2)
})
