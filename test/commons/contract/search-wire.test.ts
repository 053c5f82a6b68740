import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { type Config, readConfig } from '../../../server/config.ts'
import { type RunningServer, startServer } from '../../../server/main.ts'
import { eventually, steady } from '../../eventually.ts'
import { fakeEngine, fakeStatus, keptLog } from './fake-engine.ts'
import { bigBody } from './fake-search.ts'

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

async function send(port: number, text: string) {
  const socket = connect(port, '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk)).on('error', () => {})
  await once(socket, 'connect')
  socket.write(text, 'latin1')
  return { socket, bytes: () => Buffer.concat(received) }
}

const ended = (socket: Socket) => (socket.closed ? undefined : once(socket, 'close'))
const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')

test('a compressed answer goes over the wire whole', async () => {
  const { port, server, search } = await start()
  const response = await fetch(`${server.address}/files?fields=big`, {
    headers: { 'Accept-Encoding': 'br' },
  })
  expect(response.headers.get('content-encoding')).toBe('br')
  expect(Buffer.compare(new Uint8Array(await response.arrayBuffer()), bigBody())).toBe(0)
  await eventually(() => expect(search.events).toContain('big closed'))
  // HTTP/1.0 has no chunked coding, so the body ends with the connection.
  const old = 'GET /files?fields=big HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n'
  const { socket, bytes } = await send(port, old)
  await ended(socket)
  const body = bytes().subarray(bytes().indexOf('\r\n\r\n') + 4)
  expect(Buffer.compare(gunzipSync(body), bigBody())).toBe(0)
})

test('the first bytes are there while the rest is still being made', async () => {
  const { server } = await start()
  for (const coding of ['identity', 'gzip']) {
    const leave = new AbortController()
    const response = await fetch(`${server.address}/files?fields=stuck`, {
      headers: { 'Accept-Encoding': coding },
      signal: leave.signal,
    })
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(value?.length).toBeGreaterThan(0)
    leave.abort()
    await reader?.closed.catch(() => {})
  }
})

test('an error midway leaves a compressed body unfinished and breaks the connection off', async () => {
  const { port, lines, search } = await start()
  const path = '/files?fields=fails-midway'
  const { socket, bytes } = await send(port, get(path, 'Accept-Encoding: gzip'))
  await ended(socket)
  const text = bytes().toString('latin1')
  expect(text).toMatch(/^HTTP\/1.1 200 OK/)
  expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false)
  expect(search.events).toContain('fails-midway closed')
  expect(lines.filter((line) => line.includes('request failed'))).toHaveLength(1)
  expect(lines.join('')).toContain('a bad block')
})

test('304 and HEAD leave the connection usable', async () => {
  const { server, port } = await start()
  const etag = (await fetch(`${server.address}/files`)).headers.get('etag')
  const head = get('/files?fields=big', 'Accept-Encoding: gzip').replace('GET', 'HEAD')
  const request =
    get('/files', `If-None-Match: ${etag}`) + head + get('/status', 'Connection: close')
  const { socket, bytes } = await send(port, request)
  await ended(socket)
  const answers = bytes()
    .toString('latin1')
    .split(/(?=HTTP\/1\.1 )/)
  expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['304', '200', '200'])
  expect(answers[0]).toMatch(/\r\n\r\n$/)
  expect(answers[1]).toMatch(/content-encoding: gzip\r\n/i)
  expect(answers[1]).toMatch(/\r\n\r\n$/)
})

test.each(['identity', 'gzip', 'br', 'zstd'])(
  'a client that goes away midway leaves no open handle (%s)',
  async (coding) => {
    const { port, search, lines } = await start()
    const handles = () => process.getActiveResourcesInfo().filter((name) => name !== 'Timeout')
    const before = handles().length
    for (const behaviour of ['endless', 'stuck']) {
      const path = `/files?fields=${behaviour}`
      const { socket, bytes } = await send(port, get(path, `Accept-Encoding: ${coding}`))
      await eventually(() => expect(bytes().length).toBeGreaterThan(400))
      if (behaviour === 'stuck') {
        await eventually(() => expect(search.events).toContain('stuck is stuck'))
      }
      socket.destroy()
      await eventually(() => expect(search.events).toContain(`${behaviour} closed`))
      await eventually(() => expect(search.events).toContain(`${behaviour} ended`))
      await eventually(() => expect(search.events).toContain(`${behaviour} aborted`))
    }
    await eventually(() => expect(handles().length).toBeLessThanOrEqual(before))
    // The log line is written once the end of the answer was noticed, which may be later.
    const gone = () => lines.filter((line) => line.includes('"outcome":"client gone"'))
    await eventually(() => expect(gone()).toHaveLength(2))
    expect(lines.join('')).not.toContain('request failed')
  },
)

test('a reader that stops holds the engine back, compressed or not', async () => {
  const { port, search } = await start()
  for (const coding of ['identity', 'zstd']) {
    const { socket, bytes } = await send(
      port,
      get('/files?fields=endless', `Accept-Encoding: ${coding}`),
    )
    socket.pause()
    const seen = await steady(() => search.chunks)
    socket.resume()
    await eventually(() => expect(search.chunks).toBeGreaterThan(seen))
    expect(bytes().length).toBeGreaterThan(0)
    socket.destroy()
  }
})

test('odd requests of real clients are answered over the wire', async () => {
  const { port, search } = await start()
  const ask = async (request: string) => {
    const { socket, bytes } = await send(port, request)
    await ended(socket)
    return bytes().toString('latin1')
  }
  const filters = '{"op":"=","content":{"field":"a","value":"b,c"}}'
  const raw = get(`//cases//?&expand=a,b&filters=${filters}&size=1e+05`, 'Connection: close')
  expect(await ask(raw)).toMatch(/^HTTP\/1.1 200 /)
  expect(search.asked[0]?.request).toMatchObject({
    expand: ['a', 'b'],
    filters: JSON.parse(filters),
    size: 100_000,
  })
  const long = get(`/files?fields=${'a'.repeat(70_000)}`)
  expect(await ask(long)).toMatch(/^HTTP\/1.1 414 .*\{"error":"the request line and headers/s)
})
