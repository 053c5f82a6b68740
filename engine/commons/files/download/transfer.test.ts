import { expect, test } from 'vitest'
import { ReadBuffers } from './read-buffers.ts'
import { type ByteReading, transfer } from './transfer.ts'

const CHUNK = 8

interface Reads {
  readonly reading: ByteReading
  /** Positions that have been read. */
  readonly at: number[]
  closed: number
}

/** Returns a source of ascending bytes that records how it is used. */
function counting(length: number, wait: () => Promise<void> = async () => {}): Reads {
  const reads: Reads = {
    at: [],
    closed: 0,
    reading: {
      readBytes: CHUNK,
      async read(into, position) {
        reads.at.push(position)
        await wait()
        const count = Math.max(Math.min(into.length, length - position), 0)
        for (let i = 0; i < count; i++) into[i] = position + i
        return count
      },
      async close() {
        reads.closed++
      },
    },
  }
  return reads
}

function context(readsAhead = true) {
  const told = { bytes: 0, ends: 0 }
  return {
    told,
    buffers: new ReadBuffers(),
    readsAhead,
    onBytes: (bytes: number) => {
      told.bytes += bytes
    },
    onEnd: () => {
      told.ends++
    },
  }
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<number[]> {
  const found: number[] = []
  for await (const chunk of body) found.push(...chunk)
  return found
}

test.each([true, false])('every span is handed out exactly (reads ahead: %s)', async (ahead) => {
  for (let start = 0; start <= 30; start++) {
    for (let end = start; end <= 30; end++) {
      const { reading } = counting(30)
      const { body } = transfer(reading, { start, end }, context(ahead))
      const expected = Array.from({ length: end - start }, (_, i) => start + i)
      expect(await collect(body)).toEqual(expected)
    }
  }
})

test('one chunk is read while one is sent, and no more', async () => {
  const reads = counting(80)
  await using stream = transfer(reads.reading, { start: 0, end: 80 }, context())
  const iterator = stream.body[Symbol.asyncIterator]()
  expect((await iterator.next()).value).toEqual(Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]))
  await new Promise(setImmediate)
  expect(reads.at).toEqual([0, 8])
  await iterator.next()
  await new Promise(setImmediate)
  expect(reads.at).toEqual([0, 8, 16])
})

test('without read-ahead nothing is read before it is requested', async () => {
  const reads = counting(80)
  await using stream = transfer(reads.reading, { start: 0, end: 80 }, context(false))
  await stream.body[Symbol.asyncIterator]().next()
  await new Promise(setImmediate)
  expect(reads.at).toEqual([0])
})

test('everything is given back once, at the end or at an earlier disposal', async () => {
  const reads = counting(20)
  const { told, ...rest } = context()
  const whole = transfer(reads.reading, { start: 0, end: 20 }, { ...rest })
  await collect(whole.body)
  await whole[Symbol.asyncDispose]()
  expect([reads.closed, told.ends, told.bytes, rest.buffers.used]).toEqual([1, 1, 20, 0])

  const never = counting(20)
  const untouched = transfer(never.reading, { start: 0, end: 20 }, { ...rest })
  await untouched[Symbol.asyncDispose]()
  expect([never.at, never.closed, told.ends]).toEqual([[], 1, 2])
})

test('disposing waits for the read that is under way, and frees the file then', async () => {
  const gate = Promise.withResolvers<void>()
  const reads = counting(80, () => gate.promise)
  const { told, ...rest } = context()
  const stream = transfer(reads.reading, { start: 0, end: 80 }, { ...rest })
  const first = stream.body[Symbol.asyncIterator]().next()
  const failed = expect(first).rejects.toMatchObject({ code: 'unavailable' })
  await new Promise(setImmediate)
  const disposing = stream[Symbol.asyncDispose]()
  await new Promise(setImmediate)
  expect([reads.closed, told.ends]).toEqual([0, 0])
  gate.resolve()
  await disposing
  await failed
  expect([reads.closed, told.ends, rest.buffers.used]).toEqual([1, 1, 0])
})

test('disposing between two chunks closes the file, without a further read', async () => {
  const reads = counting(80)
  const stream = transfer(reads.reading, { start: 0, end: 80 }, context())
  const iterator = stream.body[Symbol.asyncIterator]()
  await iterator.next()
  await stream[Symbol.asyncDispose]()
  expect(reads.closed).toBe(1)
  await expect(iterator.next()).rejects.toMatchObject({ code: 'unavailable' })
})

test('a file that became shorter ends the body with an error after the good bytes', async () => {
  const { reading } = counting(20)
  const { body } = transfer(reading, { start: 0, end: 30 }, context())
  const found: number[] = []
  const all = (async () => {
    for await (const chunk of body) found.push(...chunk)
  })()
  await expect(all).rejects.toMatchObject({ code: 'corrupt_source' })
  expect(found).toHaveLength(16)
})

test('a client that disconnected gets nothing more', async () => {
  const left = new AbortController()
  const reads = counting(80)
  const asked = { ...context(), signal: left.signal }
  const { body } = transfer(reads.reading, { start: 0, end: 80 }, asked)
  const iterator = body[Symbol.asyncIterator]()
  await iterator.next()
  left.abort(new Error('gone'))
  await expect(iterator.next()).rejects.toThrow('gone')
  expect(reads.closed).toBe(1)
})
