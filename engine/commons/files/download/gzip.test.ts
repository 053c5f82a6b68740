import { createCipheriv } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { generatedStream } from '../../../shared/streams/byte-stream.ts'
import { gzipped } from './gzip.ts'

/** Returns bytes that compression cannot make smaller. */
const noise = (length: number) =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(length))

const text = (length: number) => Buffer.alloc(length, 'one line of a table\t12.5\n')

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  // One buffer for all chunks, since file reading also reuses its buffer.
  const shared = Buffer.alloc(size)
  for (let at = 0; at < bytes.length; at += size) {
    const piece = shared.subarray(0, Math.min(size, bytes.length - at))
    bytes.copy(piece, 0, at)
    yield piece
  }
}

const streamOf = (bytes: Buffer, size: number) =>
  generatedStream({ rest: piecesOf(bytes, size) }, { giveBack: () => {} })

test.each([
  ['noise', noise(3_000_000)],
  ['text', text(3_000_000)],
  ['nothing', Buffer.alloc(0)],
  ['a byte', Buffer.from('x')],
  ['text, noise and text', Buffer.concat([text(2_500_000), noise(3_000_000), text(2_000_000)])],
])('%s comes back as it was', async (_, bytes) => {
  expect(gunzipSync(await packed(bytes, 700_000)).equals(bytes)).toBe(true)
})

test.each([
  ['noise', noise(40_000_000)],
  ['a table', Buffer.concat(Array.from({ length: 40 }, (_, i) => text(1_000_000 + i)))],
])('memory of sent chunks of %s is reused or freed at once', async (_, bytes) => {
  const seen = new Set<ArrayBufferLike>()
  const { body } = gzipped(streamOf(bytes, 1 << 20))
  for await (const chunk of body) {
    seen.add(chunk.buffer)
    const live = [...seen].reduce((sum, { byteLength }) => sum + byteLength, 0)
    expect(live).toBeLessThan(6 << 20)
  }
})

const packed = async (bytes: Buffer, size: number) => {
  const sent: Buffer[] = []
  const { body } = gzipped(streamOf(bytes, size))
  for await (const chunk of body) sent.push(Buffer.from(chunk))
  return Buffer.concat(sent)
}

test('text is compressed; incompressible bytes grow by little', async () => {
  expect((await packed(text(4 << 20), 1 << 20)).length).toBeLessThan(100_000)
  const { length } = await packed(noise(4 << 20), 1 << 20)
  expect(length).toBeGreaterThan(4 << 20)
  expect(length).toBeLessThan((4 << 20) + 4000)
})

test('equal bytes are compressed equally, in chunks of any size', async () => {
  const bytes = Buffer.concat([text(2_500_000), noise(3_000_000), text(5_000_000), noise(100_000)])
  const small = await packed(bytes, 1 << 20)
  expect((await packed(bytes, 8 << 20)).equals(small)).toBe(true)
  expect((await packed(bytes, 1 << 20)).equals(small)).toBe(true)
})
