import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBrotliDecompress, createGunzip, createZstdDecompress, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { generatedStream } from '../../engine/shared/index.ts'
import { eventually } from '../../test/eventually.ts'
import { compressed, packed } from './compress.ts'
import type { StreamAnswer } from './stream.ts'

const CODINGS = ['gzip', 'br', 'zstd'] as const
const DECODERS = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** An answer whose chunks share the same memory, as the engine's may. */
function answerOf(
  chunks: AsyncIterable<string>,
  { length, type = 'application/json' }: { readonly length?: number; readonly type?: string } = {},
): StreamAnswer {
  const shared = new Uint8Array(1 << 20)
  async function* body() {
    for await (const text of chunks) {
      const { written } = new TextEncoder().encodeInto(text, shared)
      yield shared.subarray(0, written)
      shared.fill(33)
    }
  }
  const bytes = generatedStream({ rest: body() }, { giveBack: () => {} })
  const headers = { 'Content-Type': type, ETag: '"x"' }
  return { status: 200, headers, bytes: { ...bytes, length } }
}

async function* texts(...given: readonly string[]) {
  yield* given
}

async function bytesOf(body: AsyncIterable<Uint8Array>) {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks)
}

test('the bytes come back as they were, whatever the chunks', async () => {
  const parts = Array.from({ length: 300 }, (_, i) => `${i}`.repeat(i * 7))
  const answer = compressed(answerOf(texts(...parts)), 'gzip')
  expect(answer.headers).toEqual({
    'Content-Type': 'application/json',
    'Content-Encoding': 'gzip',
    ETag: '"x-gzip"',
  })
  expect(gunzipSync(await bytesOf(answer.bytes.body)).toString()).toBe(parts.join(''))
})

test('an empty body becomes an empty body', async () => {
  const answer = compressed(answerOf(texts()), 'gzip')
  expect(gunzipSync(await bytesOf(answer.bytes.body)).length).toBe(0)
})

test.each(CODINGS)('%s lets the first chunk out before there is a second', async (coding) => {
  let letGo = () => {}
  async function* slowly() {
    yield 'first words'
    await new Promise<void>((resolve) => {
      letGo = resolve
    })
    yield ' and more'
  }
  const { body } = compressed(answerOf(slowly()), coding).bytes
  const decoder = DECODERS[coding]()
  let text = ''
  decoder.on('data', (chunk) => {
    text += chunk
  })
  const read = (async () => {
    for await (const chunk of body) decoder.write(chunk)
  })()
  await eventually(() => expect(text).toBe('first words'))
  letGo()
  await read
  await eventually(() => expect(text).toBe('first words and more'))
})

test('at most 64 KiB are held back', async () => {
  let asked = 0
  async function* endless() {
    for (;;) {
      asked += 1
      yield 'abc'.repeat(1000)
    }
  }
  const { body } = compressed(answerOf(endless()), 'zstd').bytes
  const iterator = body[Symbol.asyncIterator]()
  for (let i = 0; i < 10; i++) await iterator.next()
  // Ten chunks of output need at most the first chunk and twenty-two each after it, plus those that fill the
  // encoder's own queue.
  expect(asked).toBeLessThan(1000)
  await iterator.return?.()
})

test('short bodies, unwilling clients and compressed types are sent unchanged', () => {
  const short = answerOf(texts('x'), { length: 1 })
  expect(compressed(short, 'gzip')).toBe(short)
  const plain = answerOf(texts('x'))
  expect(compressed(plain, 'identity')).toBe(plain)
  const parquet = answerOf(texts('x'), { type: 'application/vnd.apache.parquet' })
  expect(compressed(parquet, 'br')).toBe(parquet)
  const long = compressed(answerOf(texts('x'), { length: 5000 }), 'gzip')
  expect(long.headers['Content-Encoding']).toBe('gzip')
  expect(long.bytes.length).toBeUndefined()
})

test.each(CODINGS)('%s passes on the error of the body', async (coding) => {
  async function* failing(good: number) {
    for (let i = 0; i < good; i++) yield 'good '.repeat(30_000)
    throw new TypeError('a bad block')
  }
  for (const good of [0, 1, 5]) {
    const { body } = compressed(answerOf(failing(good)), coding).bytes
    await expect(bytesOf(body)).rejects.toThrow('a bad block')
  }
})

test.each(CODINGS)('%s: a reader that leaves ends the body, at any moment', async (coding) => {
  for (const taken of [1, 2, 5]) {
    let ended = false
    async function* endless() {
      try {
        for (let i = 0; ; i++) yield Array.from({ length: 9000 }, (_, k) => (k * i) % 977).join()
      } finally {
        ended = true
      }
    }
    const { body } = compressed(answerOf(endless()), coding).bytes
    const iterator = body[Symbol.asyncIterator]()
    for (let i = 0; i < taken; i++) await iterator.next()
    // By now the encoder is full and waits.
    await sleep(50)
    await iterator.return?.()
    expect(ended).toBe(true)
  }
})

test.each(CODINGS)('a whole body is packed by %s, a large one too', async (coding) => {
  for (const times of [10_000, 200_000]) {
    const bytes = await packed(Buffer.from('abc'.repeat(times)), coding)
    expect(bytes.length).toBeLessThan(1000)
    const decoder = DECODERS[coding]()
    decoder.end(bytes)
    expect((await text(decoder)).length).toBe(3 * times)
  }
})
