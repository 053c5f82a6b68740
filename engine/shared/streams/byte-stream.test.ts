import { expect, test } from 'vitest'
import { type ByteStream, generatedStream, wholeStream } from './byte-stream.ts'

const CHUNKS = 3

/** What happened to a stream of three chunks. */
interface Made {
  readonly stream: ByteStream
  /** The events in the order in which they happened. */
  readonly events: string[]
}

interface Plan {
  /** The number of chunks that were taken before the stream was stopped. */
  readonly taken?: number
  readonly failsAt?: number
  /** The chunk that is being made when the stream is stopped. */
  readonly heldAt?: number
}

function make({ taken = 0, failsAt, heldAt }: Plan = {}): Made {
  const events: string[] = []
  const gate = Promise.withResolvers<void>()
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (let i = taken; i < CHUNKS; i++) {
        if (i === failsAt) throw new TypeError('a bad chunk')
        if (i === heldAt) await gate.promise
        yield Uint8Array.of(i)
      }
    } finally {
      events.push('made')
    }
  }
  const stream = generatedStream(
    { taken: Array.from({ length: taken }, (_, i) => Uint8Array.of(i)), rest: chunks() },
    {
      stop: () => {
        events.push('stopped')
        gate.resolve()
      },
      giveBack: () => void events.push('given back'),
      errorOf: (cause) => new Error('as it is answered', { cause }),
    },
  )
  return { stream, events }
}

async function read(stream: ByteStream): Promise<number[]> {
  const found: number[] = []
  for await (const chunk of stream.body) found.push(...chunk)
  return found
}

const dispose = (stream: ByteStream) => stream[Symbol.asyncDispose]()
const gaveBack = ({ events }: Made) => events.filter((event) => event === 'given back').length

test.each([0, 1, 2, 3])('a body of which %i chunks were taken is read whole', async (taken) => {
  const made = make({ taken })
  expect(await read(made.stream)).toEqual([0, 1, 2])
  expect(made.events.slice(-2)).toEqual(['stopped', 'given back'])
  await dispose(made.stream)
  await dispose(made.stream)
  expect(gaveBack(made)).toBe(1)
})

test('what nobody reads is never made, and is given back', async () => {
  const made = make()
  await Promise.all([dispose(made.stream), dispose(made.stream)])
  expect(made.events).toEqual(['stopped', 'given back'])
  await expect(read(made.stream)).rejects.toMatchObject({
    cause: { code: 'unavailable', message: 'the stream was disposed of before its end' },
  })
})

test.each([1, 2, 3])('a reader that leaves behind chunk %i has it given back', async (count) => {
  for (const taken of [0, 2]) {
    const made = make({ taken })
    let left = count
    for await (const _ of made.stream.body) if (--left === 0) break
    expect(gaveBack(made)).toBe(1)
    await dispose(made.stream)
    expect(gaveBack(made)).toBe(1)
  }
})

test.each([1, 2, 3])(
  'disposed of behind chunk %i, it never ends as if it were whole',
  async (count) => {
    for (const taken of [0, 2]) {
      const made = make({ taken })
      const chunks = made.stream.body[Symbol.asyncIterator]()
      for (let i = 0; i < count; i++) await chunks.next()
      await dispose(made.stream)
      expect(gaveBack(made)).toBe(1)
      const rest = (async () => {
        for (let next = await chunks.next(); !next.done; next = await chunks.next());
      })()
      await expect(rest).rejects.toMatchObject({ cause: { code: 'unavailable' } })
      expect(gaveBack(made)).toBe(1)
    }
  },
)

test('disposing of it while a chunk is made waits for that, then gives back', async () => {
  const made = make({ heldAt: 1 })
  const chunks = made.stream.body[Symbol.asyncIterator]()
  await chunks.next()
  const second = chunks.next()
  await dispose(made.stream)
  expect(made.events).toEqual(['stopped', 'made', 'given back'])
  expect(await second).toEqual({ done: false, value: Uint8Array.of(1) })
  await expect(chunks.next()).rejects.toMatchObject({ cause: { code: 'unavailable' } })
  expect(gaveBack(made)).toBe(1)
})

test.each([0, 1, 2])('an error at chunk %i is thrown as it is answered', async (failsAt) => {
  const made = make({ failsAt })
  await expect(read(made.stream)).rejects.toMatchObject({
    message: 'as it is answered',
    cause: { message: 'a bad chunk' },
  })
  expect(made.events).toEqual(['made', 'stopped', 'given back'])
  await dispose(made.stream)
  expect(gaveBack(made)).toBe(1)
})

test('what cannot be given back says so to everybody', async () => {
  let tries = 0
  const giveBack = async () => {
    tries++
    throw new Error('it does not close')
  }
  async function* nothing(): AsyncGenerator<Uint8Array> {}
  const stream = generatedStream({ rest: nothing() }, { giveBack })
  await expect(dispose(stream)).rejects.toThrow('it does not close')
  await expect(dispose(stream)).rejects.toThrow('it does not close')
  expect(tries).toBe(1)
})

test('bytes in memory have their length and need nothing given back', async () => {
  await using stream = wholeStream(Uint8Array.of(1, 2))
  expect([stream.length, await read(stream)]).toEqual([2, [1, 2]])
})
