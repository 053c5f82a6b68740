import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import {
  fakeApp,
  fakeEngine,
  fakeStatus,
  keptLog,
} from '../../test/commons/contract/fake-engine.ts'
import { eventually } from '../../test/eventually.ts'
import { type Config, readConfig } from '../config.ts'
import { type RunningServer, startServer } from '../main.ts'

const running = new Set<RunningServer>()

afterEach(async () => {
  await Promise.all([...running].map((server) => server.close()))
  running.clear()
})

async function start(overrides: Partial<Config>) {
  const fake = fakeEngine()
  const flags = { port: 0, logLevel: 'debug', drainSeconds: 0, ...overrides } as const
  const config = readConfig({ flags })
  const { lines, log } = keptLog(config)
  const server = await startServer({ engine: fake.engine, config, status: fakeStatus, log })
  running.add(server)
  const port = Number(new URL(server.address).port)
  const ask = (path: string, init?: RequestInit) => fetch(`${server.address}${path}`, init)
  return { ...fake, lines, port, ask }
}

/** Sends one request on a new connection and counts the bytes of the answer without reading it. */
async function open(port: number, path: string, method = 'GET') {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let length = 0
  socket
    .on('error', () => {})
    .on('data', (chunk: Buffer) => {
      length += chunk.length
      if (text.length < 2000) text += chunk.toString('latin1')
    })
  await once(socket, 'connect')
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  const status = () => Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1])
  await eventually(() => expect(status()).toBeGreaterThan(0))
  return { socket, status: status(), length: () => length }
}

const statusOf = async (answer: Promise<Response>) => {
  const { status, body } = await answer
  await body?.cancel()
  return status
}

test('nothing is limited unless a limit is set', async () => {
  const { ask } = await start({})
  const many = Array.from({ length: 300 }, () => statusOf(ask('/status')))
  expect(new Set(await Promise.all(many))).toEqual(new Set([200]))
})

test('requests above the burst get 429 as JSON with Retry-After', async () => {
  const { ask, lines } = await start({ ratePerMinute: 1, rateBurst: 2 })
  expect([await statusOf(ask('/status')), await statusOf(ask('/nothing'))]).toEqual([200, 404])
  const refused = await ask('/status')
  expect(refused.status).toBe(429)
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  expect(refused.headers.get('content-type')).toBe('application/json')
  expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  const message = `this address has sent more than 1 requests a minute; try again in ${seconds} s`
  expect(await refused.json()).toEqual({ error: message, message })
  expect(lines.join('')).toContain('"status":429')
})

test('probes and scrapes always pass, and rejected requests are counted without naming anybody', async () => {
  const { ask } = await start({ ratePerMinute: 1, rateBurst: 1 })
  const token = 'a-token-that-nobody-may-read'
  await statusOf(ask('/status', { headers: { 'X-Auth-Token': token } }))
  await statusOf(ask('/status', { headers: { 'X-Auth-Token': token } }))
  for (const path of [
    '/health/live',
    '/health/ready',
    '/metrics',
    '/v0/health/live',
    '//metrics/',
  ]) {
    expect(await statusOf(ask(path))).toBe(200)
  }
  const text = await (await ask('/metrics')).text()
  expect(text).toContain('casemill_http_limited_requests_total{limit="rate",client="address"} 1')
  expect(text).not.toContain(token)
  expect(text).not.toContain('127.0.0.1')
})

test.each(['/health', '/healthy', '/metrics/more', '/metricsx', '/%68ealth'])(
  '%s is limited as any other path',
  async (path) => {
    const { ask } = await start({ ratePerMinute: 1, rateBurst: 1 })
    await statusOf(ask('/status'))
    expect(await statusOf(ask(path))).toBe(429)
  },
)

test('the body of a refused request is not read, and no work is done for it', async () => {
  const { port, requests } = await start({ ratePerMinute: 1, rateBurst: 1 })
  await open(port, '/status')
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket
    .on('error', () => {})
    .on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
    })
  await once(socket, 'connect')
  const head = 'POST /slicing/view/open HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n'
  // The answer arrives although the body is never completed.
  socket.write(`${head}{"regions":`)
  await eventually(() => expect(text).toContain('HTTP/1.1 429'))
  expect(requests).toHaveLength(0)
  socket.destroy()
})

test('a token has its own share besides that of its address, in either header', async () => {
  const { ask } = await start({ ratePerMinute: 1, rateBurst: 2, trustedProxies: 1 })
  const from = (address: string, token?: string, header = 'X-Auth-Token') =>
    ask('/status', {
      headers: { 'X-Forwarded-For': address, ...(token && { [header]: token }) },
    })
  expect(await statusOf(from('192.0.2.1', 'one'))).toBe(200)
  expect(await statusOf(from('192.0.2.2', 'Bearer one', 'Authorization'))).toBe(200)
  const refused = await from('192.0.2.3', 'one')
  expect(refused.status).toBe(429)
  expect(await refused.text()).toMatch(/"this token has sent more than 1 requests/)
  // The request is rejected by its token, so the address can still make two requests with other tokens.
  expect(await statusOf(from('192.0.2.3', 'two'))).toBe(200)
  expect(await statusOf(from('192.0.2.3'))).toBe(200)
  // Invented tokens do not circumvent the limit of the address.
  expect(await statusOf(from('192.0.2.3', 'three'))).toBe(429)
  // They do not use up the share of another token either, however similar it is.
  for (let i = 0; i < 5; i++) await statusOf(from(`192.0.2.${10 + i}`, 'fou'))
  expect(await statusOf(from('192.0.2.20', 'four'))).toBe(200)
})

test('forwarded addresses count only behind configured proxies', async () => {
  const { ask } = await start({ ratePerMinute: 1, rateBurst: 1 })
  const from = (address: string) => ask('/status', { headers: { 'X-Forwarded-For': address } })
  expect([await statusOf(from('192.0.2.1')), await statusOf(from('192.0.2.2'))]).toEqual([200, 429])
})

test('of n streams at a time the next is refused until one client has vanished midway', async () => {
  const { port, ask, closed } = await start({ concurrentRequests: 3 })
  const streams = await Promise.all([1, 2, 3].map(() => open(port, '/slicing/view/endless')))
  expect(streams.map(({ status }) => status)).toEqual([206, 206, 206])
  const refused = await ask('/slicing/view/open')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(await refused.text()).toMatch(/"this address has 3 requests under way/)
  expect(await statusOf(ask('/health/live'))).toBe(200)

  streams[0]?.socket.destroy()
  await eventually(() => expect(closed.get('endless')).toBe(1))
  await eventually(async () => expect(await statusOf(ask('/status'))).toBe(200))
  const fourth = await open(port, '/slicing/view/endless')
  expect(fourth.status).toBe(206)
  expect(await statusOf(ask('/status'))).toBe(429)
  for (const { socket } of [...streams, fourth]) socket.destroy()
  await eventually(async () => expect(await statusOf(ask('/status'))).toBe(200))
})

test('a place is given back once, however a request ends', async () => {
  const { port, ask, requests } = await start({ concurrentRequests: 1 })
  const isFree = () =>
    eventually(async () => expect(await statusOf(ask('/health/live'))).toBe(200)).then(() =>
      eventually(async () => expect((await ask('/status')).status).toBe(200)),
    )
  const etag = (await ask('/openapi.json')).headers.get('etag') ?? ''
  const ends: readonly (() => Promise<unknown>)[] = [
    async () => (await ask('/slicing/view/open')).arrayBuffer(),
    async () => (await ask('/slicing/view/fails-midway')).arrayBuffer().catch(() => {}),
    async () => statusOf(ask('/slicing/view/fails-at-once')),
    async () => statusOf(ask('/slicing/view/bug')),
    async () => statusOf(ask('/slicing/view/controlled')),
    async () => statusOf(ask('/nothing')),
    async () => statusOf(ask('/slicing/view/open', { method: 'HEAD' })),
    async () => statusOf(ask('/slicing/view/open', { method: 'OPTIONS' })),
    async () => statusOf(ask('/slicing/view/open', { method: 'POST', body: '{' })),
    async () => {
      expect(await statusOf(ask('/openapi.json', { headers: { 'If-None-Match': etag } }))).toBe(304)
    },
    async () => (await open(port, '/slicing/view/endless')).socket.destroy(),
    async () => {
      const before = requests.length
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      await once(socket, 'connect')
      socket.write('GET /slicing/view/stuck HTTP/1.1\r\nHost: x\r\n\r\n')
      await eventually(() => expect(requests.length).toBe(before + 1))
      socket.destroy()
    },
  ]
  for (const end of ends) {
    await isFree()
    await end()
  }
  await isFree()
  // If a place were released twice, two streams could enter.
  const stream = await open(port, '/slicing/view/endless')
  expect(stream.status).toBe(206)
  expect(await statusOf(ask('/status'))).toBe(429)
  stream.socket.destroy()
})

test('sequential requests on one connection count one by one, and nothing stays after it closes', async () => {
  const { port, ask } = await start({ concurrentRequests: 4 })
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write('GET /slicing/view/endless HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4))
  await eventually(async () => expect(await statusOf(ask('/status'))).toBe(429))
  socket.destroy()
  await eventually(async () => {
    const streams = await Promise.all([1, 2, 3, 4].map(() => open(port, '/slicing/view/endless')))
    for (const { socket: other } of streams) other.destroy()
    expect(streams.map(({ status }) => status)).toEqual([206, 206, 206, 206])
  })
})

test('in process, where there is no connection, a request is over with its answer', async () => {
  const { app } = fakeApp({ concurrentRequests: 1, ratePerMinute: 1, rateBurst: 2 })
  expect((await app.request('/status')).status).toBe(200)
  expect((await app.request('/status')).status).toBe(200)
  expect((await app.request('/status')).status).toBe(429)
})
