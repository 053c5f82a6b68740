import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type ByteStream, EngineError, generatedStream } from '../../engine/shared/index.ts'
import {
  fakeApp,
  fakeEngine,
  fakeStatus,
  keptLog,
} from '../../test/commons/contract/fake-engine.ts'
import { eventually } from '../../test/eventually.ts'
import type { ServedEngine } from '../app.ts'
import { readConfig } from '../config.ts'
import { type RunningServer, startServer } from '../main.ts'

// However an answer ends, its resources are released exactly once.

const CODINGS = ['identity', 'gzip', 'br', 'zstd'] as const
const CHUNKS = 3
const CHUNK_BYTES = 100_000
/** Several chunks of this size are written together. */
const SMALL_CHUNK_BYTES = 100
/** The operating system buffers far less for a client that does not read. */
const UNREAD_BYTES = 64 << 20

interface Plan {
  readonly chunkBytes?: number
  readonly hasLength?: boolean
  readonly failsAt?: number
  /** The error with which the stream fails. */
  readonly error?: Error
  /** From this chunk on, the stream makes no more until it is disposed of. */
  readonly stuckAt?: number
  /** The stream is opened after the client has left. */
  readonly isLate?: boolean
}

/** The streams that were opened for requests, and what happened to them. */
class Opened {
  readonly #plan: Plan
  opening = 0
  opened = 0
  chunks = 0
  isStuck = false
  disposals = 0
  givenBack = 0

  constructor(plan: Plan) {
    this.#plan = plan
  }

  async open(signal: AbortSignal): Promise<ByteStream> {
    const { chunkBytes = CHUNK_BYTES, hasLength = false, isLate = false } = this.#plan
    this.opening++
    if (isLate) await once(signal, 'abort')
    this.opened++
    const gate = Promise.withResolvers<void>()
    const stream = generatedStream(
      { rest: this.#chunks(gate.promise) },
      { stop: gate.resolve, giveBack: () => void this.givenBack++ },
    )
    return {
      body: stream.body,
      length: hasLength ? CHUNKS * chunkBytes : undefined,
      [Symbol.asyncDispose]: () => {
        this.disposals++
        return stream[Symbol.asyncDispose]()
      },
    }
  }

  async *#chunks(isStopped: Promise<void>): AsyncGenerator<Uint8Array> {
    const { chunkBytes = CHUNK_BYTES, failsAt, stuckAt, error } = this.#plan
    // The memory is reused, as the memory of any chunk may be.
    const memory = new Uint8Array(chunkBytes)
    for (let i = 0; i < CHUNKS; i++) {
      if (i === failsAt) throw error ?? new TypeError('a bad chunk')
      if (i === stuckAt) {
        this.isStuck = true
        await isStopped
      }
      this.chunks++
      yield memory.fill(i)
    }
  }

  /** Waits until all streams have ended. */
  async ended(): Promise<void> {
    await eventually(() => expect(this.givenBack).toBe(this.opened))
    expect(this.disposals).toBeGreaterThanOrEqual(this.opened)
  }
}

/** The fake engine, whose searches are answered by these streams. */
function serving(opened: Opened): (engine: ServedEngine) => ServedEngine {
  return (engine) => ({
    ...engine,
    commons: {
      ...engine.commons,
      search: {
        ...engine.commons.search,
        search: async (_name, _request, { signal = new AbortController().signal } = {}) => ({
          ...{ contentType: 'application/json', releaseId: 'release-1' },
          ...(await opened.open(signal)),
        }),
      },
    },
  })
}

const running = new Set<RunningServer>()

afterEach(async () => {
  await Promise.all([...running].map((server) => server.close()))
  running.clear()
})

async function start(plan: Plan = {}) {
  const opened = new Opened(plan)
  const config = readConfig({ flags: { port: 0, logLevel: 'debug', drainSeconds: 0 } })
  const { lines, log } = keptLog(config)
  const fake = fakeEngine().engine
  const engine = { ...fake, ...serving(opened)(fake) }
  const server = await startServer({ engine, config, status: fakeStatus, log })
  running.add(server)
  const address = `${server.address}/files`
  /** Sends a request without reading the answer. */
  const send = async (coding: string) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    socket.write(`GET /files HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\n\r\n`)
    return socket
  }
  const outcomes = () => lines.flatMap((line) => JSON.parse(line).outcome ?? [])
  return { opened, address, send, lines, outcomes }
}

const accepting = (coding: string) => ({ headers: { 'Accept-Encoding': coding } })

test.each(CODINGS)('an answer that is read to its end (%s)', async (coding) => {
  for (const hasLength of [false, true]) {
    for (const chunkBytes of [CHUNK_BYTES, SMALL_CHUNK_BYTES]) {
      const { opened, address } = await start({ hasLength, chunkBytes })
      const bytes = new Uint8Array(await (await fetch(address, accepting(coding))).arrayBuffer())
      expect([0, 1, 2].map((i) => bytes[i * chunkBytes])).toEqual([0, 1, 2])
      expect(bytes.length).toBe(CHUNKS * chunkBytes)
      await opened.ended()
      expect(opened.opened).toBe(1)
    }
  }
})

test('small chunks before a failure go out, without the end', async () => {
  const { opened, send } = await start({ chunkBytes: SMALL_CHUNK_BYTES, failsAt: 2 })
  const socket = await send('identity')
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  await once(socket, 'close')
  const [head = '', ...body] = Buffer.concat(parts).toString('latin1').split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1.1 200 /)
  const size = SMALL_CHUNK_BYTES.toString(16)
  const chunk = (i: number) => `${size}\r\n${String.fromCharCode(i).repeat(SMALL_CHUNK_BYTES)}\r\n`
  expect(body.join('\r\n\r\n')).toBe(chunk(0) + chunk(1))
  await opened.ended()
})

test.each(CODINGS)('HEAD: nothing is made (%s)', async (coding) => {
  const { opened, address } = await start({ hasLength: true })
  const { status, headers } = await fetch(address, { method: 'HEAD', ...accepting(coding) })
  expect([status, headers.get('content-length')]).toEqual([
    200,
    coding === 'identity' ? String(CHUNKS * CHUNK_BYTES) : null,
  ])
  await opened.ended()
  expect([opened.opened, opened.chunks]).toEqual([1, 0])
})

describe('by HTTP/1.0', () => {
  const ask = async (address: string, method = 'GET') => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    const parts: Buffer[] = []
    socket.on('data', (part) => parts.push(part))
    socket.write(`${method} /files HTTP/1.0\r\n\r\n`)
    await once(socket, 'close')
    const [head = '', ...body] = Buffer.concat(parts).toString('latin1').split('\r\n\r\n')
    const length = /^content-length: (\d+)/im.exec(head)?.[1]
    return { head, length: length && Number(length), body: body.join('\r\n\r\n') }
  }
  const told = (lines: readonly string[]) =>
    lines.filter((line) => line.includes('asked by HTTP/1.0')).length

  test('an answer has its length, whether it was known or not, and the first one is logged', async () => {
    for (const hasLength of [false, true]) {
      const { opened, address, lines } = await start({ hasLength })
      for (let i = 0; i < 2; i++) {
        const { head, length, body } = await ask(address)
        expect(head).toMatch(/^HTTP\/1.1 200 /)
        expect(length).toBe(CHUNKS * CHUNK_BYTES)
        expect(body.length).toBe(CHUNKS * CHUNK_BYTES)
        expect([0, 1, 2].map((n) => body.charCodeAt(n * CHUNK_BYTES))).toEqual([0, 1, 2])
        await opened.ended()
      }
      await eventually(() => expect(told(lines)).toBe(hasLength ? 0 : 1))
    }
  })

  test('a body that fails midway answers 500, and no part looks complete', async () => {
    for (const failsAt of [0, 1, 2]) {
      const { opened, address } = await start({ failsAt })
      expect((await ask(address)).head).toMatch(/^HTTP\/1.1 500 /)
      await opened.ended()
    }
  })

  test('a long response of unknown length is refused with advice', async () => {
    const { opened, address } = await start({ chunkBytes: 8 << 20 })
    const { head, body } = await ask(address)
    expect(head).toMatch(/^HTTP\/1.1 501 /)
    expect(body).toContain('use HTTP/1.1 (nginx: proxy_http_version 1.1), or request less')
    await opened.ended()
    const known = await start({ chunkBytes: 8 << 20, hasLength: true })
    expect((await ask(known.address)).body.length).toBe(24 << 20)
    await known.opened.ended()
  })

  test('HEAD produces no body, and a client that leaves ends it', async () => {
    const { opened, address } = await start()
    expect((await ask(address, 'HEAD')).head).toMatch(/^HTTP\/1.1 200 /)
    await opened.ended()
    expect(opened.chunks).toBe(0)
    const stuck = await start({ stuckAt: 1 })
    const socket = connect(Number(new URL(stuck.address).port), '127.0.0.1').on('error', () => {})
    socket.write('GET /files HTTP/1.0\r\n\r\n')
    await eventually(() => expect(stuck.opened.isStuck).toBe(true))
    socket.destroy()
    await stuck.opened.ended()
  })
})

test('304: nothing is opened', async () => {
  const { opened, address } = await start()
  const first = await fetch(address)
  await first.arrayBuffer()
  const etag = first.headers.get('etag') ?? ''
  const again = await fetch(address, { headers: { 'If-None-Match': etag } })
  expect([again.status, opened.opened]).toEqual([304, 1])
  await opened.ended()
})

test.each(CODINGS)('an error at the first chunk, or later (%s)', async (coding) => {
  const { opened, address } = await start({ failsAt: 0 })
  expect((await fetch(address, accepting(coding))).status).toBe(500)
  await opened.ended()
  for (const failsAt of [1, 2]) {
    const later = await start({ failsAt })
    const answer = fetch(later.address, accepting(coding)).then((found) => found.arrayBuffer())
    await expect(answer).rejects.toThrow()
    await later.opened.ended()
    expect(later.lines.join('')).toContain('a bad chunk')
  }
})

test.each(CODINGS)('a client that leaves while the bytes are opened (%s)', async (coding) => {
  const { opened, send, outcomes } = await start({ isLate: true })
  const socket = await send(coding)
  await eventually(() => expect(opened.opening).toBe(1))
  socket.destroy()
  await eventually(() => expect(opened.opened).toBe(1))
  await opened.ended()
  expect(opened.chunks).toBe(0)
  await eventually(() => expect(outcomes()).toEqual(['client gone']))
})

test.each(CODINGS)('a client that leaves while a chunk is made (%s)', async (coding) => {
  for (const stuckAt of [0, 1, 2]) {
    const { opened, send, lines, outcomes } = await start({ stuckAt })
    const socket = await send(coding)
    await eventually(() => expect(opened.isStuck).toBe(true))
    socket.destroy()
    await opened.ended()
    await eventually(() => expect(outcomes()).toEqual(['client gone']))
    expect(lines.join('')).not.toContain('request failed')
  }
})

test('a client that leaves while a chunk is on its way', async () => {
  const { opened, send, outcomes } = await start({ chunkBytes: UNREAD_BYTES })
  const socket = await send('identity')
  await eventually(() => expect(opened.chunks).toBe(1))
  socket.destroy()
  await opened.ended()
  await eventually(() => expect(outcomes()).toEqual(['client gone']))
})

test.each(CODINGS)('an answer in process, however it ends (%s)', async (coding) => {
  const ask = async (plan: Plan, end: (response: Response) => Promise<unknown>) => {
    const opened = new Opened(plan)
    const { app } = fakeApp({}, (engine) => ({ ...engine, ...serving(opened)(engine) }))
    await end(await app.request('/files', accepting(coding)))
    await opened.ended()
    expect(opened.opened).toBe(1)
  }
  await ask({}, (response) => response.arrayBuffer())
  await ask({ hasLength: true }, async (response) => response.body?.cancel())
  await ask({ failsAt: 0 }, async ({ status }) => expect(status).toBe(500))
  await ask({ failsAt: 1 }, (response) => expect(response.arrayBuffer()).rejects.toThrow())
  for (const stuckAt of [1, 2]) {
    await ask({ stuckAt }, async ({ body }) => {
      const reader = body?.getReader()
      await reader?.read()
      await reader?.cancel()
    })
  }
})

test.each([
  ['bad_input', false],
  ['conflict', false],
  ['busy', false],
  ['corrupt_source', true],
  ['unavailable', true],
] as const)('%s midway is a failure in the log: %s', async (code, isLogged) => {
  const error = new EngineError(code, 'line 7: what was sent of a person')
  const { address, lines, outcomes } = await start({ failsAt: 1, error })
  const response = await fetch(address)
  expect(response.status).toBe(200)
  await expect(response.arrayBuffer()).rejects.toThrow()
  await eventually(() => expect(outcomes()).toEqual(['failed']))
  expect(lines.some((line) => line.includes('request failed'))).toBe(isLogged)
  expect(lines.join('').includes('what was sent')).toBe(isLogged)
})
