import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { fakeEngine, fakeStatus, keptLog } from '../test/commons/contract/fake-engine.ts'
import { eventually, steady } from '../test/eventually.ts'
import { type Config, readConfig } from './config.ts'
import { type RunningServer, startServer } from './main.ts'

const running = new Set<RunningServer>()

afterEach(async () => {
  await Promise.all([...running].map((server) => server.close()))
  running.clear()
})

async function start(overrides: Partial<Config> = {}) {
  const fake = fakeEngine()
  const flags = { port: 0, logLevel: 'debug', drainSeconds: 0, ...overrides } as const
  const config = readConfig({ flags })
  const { lines, log } = keptLog(config)
  const server = await startServer({ engine: fake.engine, config, status: fakeStatus, log })
  running.add(server)
  return { ...fake, server, lines, port: Number(new URL(server.address).port) }
}

/** Sends raw text and returns the socket with everything that it receives. */
async function send(port: number, text: string) {
  const socket = connect(port, '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk)).on('error', () => {})
  await once(socket, 'connect')
  socket.write(text, 'latin1')
  return { socket, text: () => Buffer.concat(received).toString('latin1') }
}

const ended = (socket: Socket) => (socket.closed ? undefined : once(socket, 'close'))
const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')

test('a slice goes over the wire whole, chunked and without a length', async () => {
  const { server, closed, lines } = await start()
  const response = await fetch(`${server.address}/slicing/view/open?region=chr1`)
  expect(response.status).toBe(206)
  expect(response.headers.get('transfer-encoding')).toBe('chunked')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('x-request-id')).toBeTruthy()
  const body = new Uint8Array(await response.arrayBuffer())
  expect([0, 1, 2, 3].map((i) => body[i << 20])).toEqual([0, 1, 2, 3])
  expect([0, 1, 2, 3].map((i) => body[((i + 1) << 20) - 1])).toEqual([0, 1, 2, 3])
  await eventually(() => expect(closed.get('open')).toBe(1))
  await eventually(() => expect(lines.join('')).toContain(`"bytes":${4 << 20}`))
})

test('the start warns of ID tokens that are accepted as tokens', async () => {
  const issuer = 'https://a.example'
  const login = { publicUrl: 'https://b.example', loginIssuer: issuer, loginClientSecret: 's' }
  const { lines } = await start({
    ...login,
    loginClientId: 'casemill',
    oidcIssuers: issuer,
    oidcAudience: 'casemill',
  })
  expect(lines.join('')).toContain('the ID tokens of log-in are accepted')
})

test('the connection is kept for the next request after a slice', async () => {
  const { port } = await start()
  const request = get('/slicing/view/open') + get('/status', 'Connection: close')
  const { socket, text } = await send(port, request)
  await ended(socket)
  expect(text()).toMatch(/^HTTP\/1.1 206 /)
  expect(text()).toMatch(/\r\n0\r\n\r\nHTTP\/1.1 200 OK\r\n/)
})

test('an error midway leaves the chunked body unfinished and is logged once', async () => {
  const { port, closed, lines } = await start()
  const { socket, text } = await send(port, get('/slicing/view/fails-midway'))
  await ended(socket)
  expect(text()).toMatch(/^HTTP\/1.1 206 /)
  expect(text().length).toBeGreaterThan(3 << 20)
  expect(text().endsWith('\r\n0\r\n\r\n')).toBe(false)
  expect(closed.get('fails-midway')).toBe(1)
  expect(lines.filter((line) => line.includes('request failed'))).toHaveLength(1)
  expect(lines.join('')).toContain('"outcome":"failed"')
})

test('a body that fails before its first byte is still a JSON error', async () => {
  const { server } = await start()
  const response = await fetch(`${server.address}/slicing/view/fails-at-once`)
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ error: 'no first block' })
})

test('a client that goes away midway closes the slice and fires the signal', async () => {
  const { port, closed, aborted, lines } = await start()
  const { socket, text } = await send(port, get('/slicing/view/endless'))
  await eventually(() => expect(text().length).toBeGreaterThan(1 << 20))
  socket.destroy()
  await eventually(() => expect(closed.get('endless')).toBe(1))
  await eventually(() => expect(aborted).toContain('endless'))
  await eventually(() => expect(lines.join('')).toContain('"outcome":"client gone"'))
  expect(lines.join('')).not.toContain('request failed')
})

test('a client that goes away while a chunk is being made closes the slice at once', async () => {
  const { port, requests, closed, aborted } = await start()
  const { socket } = await send(port, get('/slicing/view/stuck'))
  await eventually(() => expect(requests).toHaveLength(1))
  socket.destroy()
  await eventually(() => expect(closed.get('stuck')).toBe(1))
  await eventually(() => expect(aborted).toContain('stuck'))
})

test('a reader that stops is given no more than the kernel buffers', async () => {
  const { port, made } = await start()
  const { socket } = await send(port, get('/slicing/view/endless'))
  socket.pause()
  await eventually(() => expect(made.get('endless')).toBeGreaterThan(0))
  const before = await steady(() => made.get('endless') ?? 0)
  expect(before).toBeLessThan(20)
  socket.resume()
  await eventually(() => expect(made.get('endless')).toBeGreaterThan(before + 5))
  socket.destroy()
})

test('a reader that stops for longer than the stall time is cut off', async () => {
  const { port, closed, lines } = await start({ stallSeconds: 1 })
  const { socket } = await send(port, get('/slicing/view/endless'))
  socket.pause()
  await eventually(() => expect(closed.get('endless')).toBe(1))
  await eventually(() => expect(lines.join('')).toContain('"outcome":"stalled"'))
})

test('HEAD of a slice sends headers only and leaves the connection usable', async () => {
  const { port, made, closed } = await start()
  const head = get('/slicing/view/open').replace('GET', 'HEAD')
  const { socket, text } = await send(port, head + get('/health/live', 'Connection: close'))
  await ended(socket)
  expect(text()).toMatch(/^HTTP\/1.1 206 /)
  expect(text()).not.toMatch(/transfer-encoding/i)
  expect(text()).toMatch(/\r\n\r\nHTTP\/1.1 200 OK/)
  expect([made.get('open'), closed.get('open')]).toEqual([undefined, 1])
})

test('heads over 64 KiB are 414 or 431 as JSON, and heads just below are served', async () => {
  const { port } = await start()
  const ask = async (request: string) => {
    const { socket, text } = await send(port, request)
    await ended(socket)
    return text()
  }
  const long = await ask(get(`/status?x=${'a'.repeat(70_000)}`))
  expect(long).toMatch(/^HTTP\/1.1 414 URI Too Long\r\nContent-Type: application\/json\r\n/)
  expect(long).toMatch(/\r\n\r\n\{"error":"the request line and headers are larger/)
  expect(await ask(get(`/status?x=${'a'.repeat(400_000)}`))).toMatch(/^HTTP\/1.1 414 /)
  const heavy = await ask(get('/status', `X-Big: ${'a'.repeat(70_000)}`))
  expect(heavy).toMatch(/^HTTP\/1.1 431 .*\r\n\r\n\{"error":"the request line and headers/s)
  const fits = get(`/status?x=${'a'.repeat(60_000)}`, 'Connection: close')
  expect(await ask(fits)).toMatch(/^HTTP\/1.1 200 /)
})

test('malformed HTTP and odd request targets get a JSON error', async () => {
  const { port } = await start()
  const ask = async (request: string) => {
    const { socket, text } = await send(port, request)
    await ended(socket)
    return text()
  }
  expect(await ask('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*\{"error":"/s)
  expect(await ask('GET /status HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
  const strange = 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  expect(await ask(strange)).toMatch(/^HTTP\/1.1 400 .*\{"error":"/s)
  expect(await ask(get('//status?&"raw",quotes', 'Connection: close'))).toMatch(/^HTTP\/1.1 200 /)
  expect(await ask(get('/status', 'Host: a b', 'Connection: close'))).toMatch(/^HTTP\/1.1 [24]00 /)
})

test('a body over the limit gets its 413, with and without announced length', async () => {
  const { server, port } = await start({ bodyBytes: 65_536 })
  const post = (more: string) =>
    send(
      port,
      `POST /slicing/view/open HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}`,
    )
  const announced = await post('Content-Length: 99999999\r\n\r\n{"regions":')
  await eventually(() => expect(announced.text()).toMatch(/^HTTP\/1.1 413 .*\{"error":"/s))
  announced.socket.destroy()
  const piece = `8000\r\n${' '.repeat(0x8000)}\r\n`
  const chunked = await post(`Transfer-Encoding: chunked\r\n\r\n${piece.repeat(4)}`)
  await eventually(() => expect(chunked.text()).toMatch(/^HTTP\/1.1 413 .*\{"error":"/s))
  chunked.socket.destroy()
  const refused = await fetch(`${server.address}/slicing/view/controlled`, {
    method: 'POST',
    body: ' '.repeat(100_000),
  })
  expect(refused.status).toBe(403)
})

test('a client that disconnects while it sends its body is not a failure of the service', async () => {
  const { port, lines } = await start()
  const head = 'POST /slicing/view/open HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n'
  const { socket, text } = await send(port, `${head}Expect: 100-continue\r\n\r\n`)
  // By then the server has received the request.
  await eventually(() => expect(text()).toMatch(/^HTTP\/1.1 100 /))
  socket.write('{"regions":')
  socket.destroy()
  await eventually(() => expect(lines.join('')).toContain('"status":499'))
  expect(lines.join('')).not.toContain('request failed')
})

test('a stop lets a running slice finish and refuses new connections', async () => {
  const { server, port, made, closed } = await start({ drainSeconds: 20 })
  const { socket, text } = await send(port, get('/slicing/view/open'))
  socket.pause()
  await eventually(() => expect(made.get('open')).toBeGreaterThan(0))
  const stopped = server.close()
  expect(server.close()).toBe(stopped)
  const late = connect(port, '127.0.0.1')
  await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED')
  socket.resume()
  await stopped
  // The last bytes may still be in transit.
  await eventually(() => expect(text().endsWith('\r\n0\r\n\r\n')).toBe(true))
  expect(closed.get('open')).toBe(1)
})

test('a stop with a lead time first fails readiness, and still accepts connections', async () => {
  // The lead is long enough for two requests on a busy machine.
  const { server, port } = await start({ drainLeadSeconds: 3 })
  const stopped = server.close()
  const ready = await send(port, get('/health/ready'))
  const status = await send(port, get('/status'))
  await Promise.all([ended(ready.socket), ended(status.socket)])
  expect(ready.text()).toMatch(/^HTTP\/1.1 503 .*"stopping"/s)
  expect(status.text()).toMatch(/^HTTP\/1.1 200 /)
  expect(status.text()).toMatch(/\r\nconnection: close\r\n/i)
  await stopped
  const late = connect(port, '127.0.0.1')
  await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED')
})

test('a stop cuts off responses that do not finish in time', async () => {
  const { server, port, closed, aborted } = await start({ drainSeconds: 1 })
  const { socket, text } = await send(port, get('/slicing/view/endless'))
  await eventually(() => expect(text().length).toBeGreaterThan(1 << 20))
  // The slice is endless: without the cut, closing would never finish.
  await server.close()
  await ended(socket)
  await eventually(() => expect(closed.get('endless')).toBe(1))
  await eventually(() => expect(aborted).toContain('endless'))
})

test('a stop does not wait for idle connections', async () => {
  // The drain is longer than a test may take.
  const { server, port } = await start({ drainSeconds: 3600 })
  const { text } = await send(port, get('/status'))
  await eventually(() => expect(text()).toMatch(/^HTTP\/1.1 200 /))
  await server.close()
})

test('a port in use is a clear error', async () => {
  const { port } = await start()
  await expect(start({ port })).rejects.toMatchObject({
    code: 'unavailable',
    message: `the address 127.0.0.1:${port} is in use; stop the other process or choose another port`,
  })
})
