import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LoopTurns } from '../../engine/shared/index.ts'
import { type BodyTerms, bodyChunks, parseParameters, readBody } from './body.ts'
import { Inflow, type Sender } from './inflow.ts'

/** The terms on which a body is read; the stall time is in milliseconds. */
function termsOf(bodyBytes: number, stallMilliseconds = 60_000, bodyRate = 0): BodyTerms {
  const inflow = new Inflow({ maxBytes: 1 << 20 })
  const arrive = (giveUp: Sender['giveUp']) => inflow.begin({ giveUp })
  return { bodyBytes, stallMilliseconds, bodyRate, arrive }
}

const parse = (text: string, type = '') => parseParameters(new TextEncoder().encode(text), type)

test('JSON is taken by its label, and by its looks whatever the label', async () => {
  const expected = { regions: ['chr1'] }
  const types = ['application/json', 'application/json; charset=utf-8', 'application/ld+json', '']
  for (const type of [...types, 'text/plain', 'application/x-www-form-urlencoded']) {
    expect(await parse('{"regions":["chr1"]}', type)).toEqual(expected)
  }
})

test('a form with repeated keys makes arrays; nameless keys drop', async () => {
  expect(await parse('&regions=chr1&regions=chr2%3A5&=x&attachment=true', '')).toEqual({
    regions: ['chr1', 'chr2:5'],
    attachment: 'true',
  })
})

test('an empty body has no parameters, and null members are absent', async () => {
  expect(await parse('', 'application/json')).toEqual({})
  expect(await parse(' \n', 'application/json')).toEqual({})
  expect(await parse('null', 'application/json')).toEqual({})
  expect(await parse('{"regions":null}', 'application/json')).toEqual({})
})

test('a member called __proto__ stays a plain member', async () => {
  const parsed = await parse('{"__proto__":{"regions":["chr1"]}}', 'application/json')
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  expect(parsed.regions).toBeUndefined()
})

test.each([
  ['{"regions":', 'application/json', 'not valid JSON'],
  ['[1]', 'application/json', 'is JSON but not an object'],
  ['5', 'application/json', 'is JSON but not an object'],
  ['a,b', 'text/csv', 'content type'],
])('%s as %s is refused', async (text, type, message) => {
  await expect(parse(text, type)).rejects.toThrow(message)
})

test('bytes that are no UTF-8 are refused', async () => {
  const bytes = new Uint8Array([0x22, 0xff, 0x22])
  await expect(parseParameters(bytes, 'application/json')).rejects.toThrow('not valid UTF-8')
})

test('a compressed body is of no type that is accepted, announced or not', async () => {
  for (const [coding, accepted] of [
    ['gzip', false],
    [' Zstd ', false],
    ['gzip, br', false],
    ['identity', true],
    ['', true],
  ] as const) {
    const headers = { 'Content-Encoding': coding }
    const request = () => new Request('http://localhost/', { method: 'POST', body: 'ab', headers })
    const refused = { code: 'unsupported_type', message: expect.stringContaining('as it is') }
    const whole = () => readBody(request(), termsOf(5))
    const first = () => bodyChunks(request(), termsOf(5)).next()
    for (const read of [whole, first]) {
      if (accepted) expect(await read()).toBeDefined()
      else await expect(read()).rejects.toMatchObject(refused)
    }
  }
  await expect(parseParameters(gzipSync('{"size":1}'), 'application/json')).rejects.toThrow(
    expect.objectContaining({ code: 'unsupported_type' }),
  )
})

test('an announced length over the limit is refused unread', async () => {
  const request = new Request('http://localhost/', {
    method: 'POST',
    body: 'abcdef',
    headers: { 'Content-Length': '6' },
  })
  await expect(readBody(request, termsOf(5))).rejects.toThrow('limit of 5 bytes')
  expect(request.bodyUsed).toBe(false)
})

test('an unannounced body is read no further than one chunk past the limit', async () => {
  let given = 0
  const body = new ReadableStream({
    pull(controller) {
      given += 1
      controller.enqueue(new Uint8Array(1000))
    },
  })
  const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' })
  await expect(readBody(request, termsOf(3500))).rejects.toThrow('limit of 3500 bytes')
  expect(given).toBeLessThanOrEqual(6)
})

test('chunks that are there already are handed on in turns, streamed or whole', async () => {
  // The clock advances by part of a turn whenever it is read.
  let now = 0
  const turns = new LoopTurns(() => {
    now += 1000
    return now
  })
  const CHUNKS = 20
  const request = () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < CHUNKS; i++) controller.enqueue(new Uint8Array(10))
        controller.close()
      },
    })
    const init = { method: 'PUT', body, duplex: 'half' }
    return new Request('http://localhost/', init as RequestInit)
  }
  const terms = { ...termsOf(1000), turns }
  const streamed = async () => {
    for await (const _ of bodyChunks(request(), terms));
  }
  for (const read of [streamed, () => readBody(request(), terms)]) {
    let passed = 0
    const count = () => {
      passed += 1
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    await read()
    clearImmediate(next)
    expect(passed).toBeGreaterThanOrEqual(CHUNKS - 1)
  }
})

/** A body that stalls after its first bytes. */
function stalled() {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(3)),
  })
  const init = { method: 'PUT', body, duplex: 'half' }
  return new Request('http://localhost/', init as RequestInit)
}

test('a body that stops coming is given up, streamed or whole', async () => {
  const taken: Uint8Array[] = []
  const take = async () => {
    for await (const chunk of bodyChunks(stalled(), termsOf(0, 20))) taken.push(chunk)
  }
  await expect(take()).rejects.toThrow('took too long to arrive')
  expect(taken).toEqual([new Uint8Array(3)])
  await expect(readBody(stalled(), termsOf(100), 20)).rejects.toThrow('took too long to arrive')
})

describe('the least rate of a body', () => {
  const RATE = 1000
  const WINDOW = 10_000

  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /**
   * Sends a chunk of `bytes` bytes every `everyMilliseconds` for two minutes, and returns what happened to the
   * body.
   */
  async function sendChunks(bytes: number, everyMilliseconds: number): Promise<string> {
    let timer: NodeJS.Timeout | undefined
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        timer = setInterval(() => controller.enqueue(new Uint8Array(bytes)), everyMilliseconds)
        setTimeout(() => {
          clearInterval(timer)
          controller.close()
        }, 120_000)
      },
    })
    const request = new Request('http://localhost/', { method: 'PUT', body, duplex: 'half' })
    const take = async () => {
      for await (const _ of bodyChunks(request, termsOf(0, WINDOW, RATE)));
    }
    const taken = take().then(
      () => 'taken',
      (error: Error) => error.message,
    )
    await vi.advanceTimersByTimeAsync(121_000)
    clearInterval(timer)
    return taken
  }

  test('a slow sender above it is not given up, however long it takes', async () => {
    expect(await sendChunks(110, 100)).toBe('taken')
    // The connection delivers data rarely, but fast enough on average.
    expect(await sendChunks(12_000, 9000)).toBe('taken')
  })

  test('a sender below it is, though it never stops', async () => {
    expect(await sendChunks(80, 100)).toContain('took too long to arrive')
  })
})

test('the time that a chunk is worked on is not the time that the next one takes', async () => {
  const request = new Request('http://localhost/', { method: 'PUT', body: 'abc' })
  let length = 0
  for await (const chunk of bodyChunks(request, termsOf(0, 30))) {
    await sleep(60)
    length += chunk.length
  }
  expect(length).toBe(3)
})
