import { createCipheriv } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gzipped } from './gzip.ts'

/** Bytes that no compression makes smaller. */
const noise = (length: number) =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(length))

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  // One buffer for all pieces, as the reading of files has it.
  const shared = Buffer.alloc(size)
  for (let at = 0; at < bytes.length; at += size) {
    const piece = shared.subarray(0, Math.min(size, bytes.length - at))
    bytes.copy(piece, 0, at)
    yield piece
  }
}

test.each([
  ['noise', noise(3_000_000)],
  ['text', Buffer.alloc(3_000_000, 'one line of a table\t12.5\n')],
  ['nothing', Buffer.alloc(0)],
  ['a byte', Buffer.from('x')],
])('%s comes back as it was, and the memory of what was sent is free at once', async (_, bytes) => {
  const sent: Buffer[] = []
  const kept: ArrayBufferLike[] = []
  const { body } = gzipped({ body: piecesOf(bytes, 700_000), close: async () => {} })
  for await (const chunk of body) {
    // Chunks may be parts of one buffer: it is freed after the last of them.
    if (kept.length > 0 && kept.at(-1) !== chunk.buffer) expect(kept.at(-1)?.byteLength).toBe(0)
    kept.push(chunk.buffer)
    sent.push(Buffer.from(chunk))
  }
  expect(gunzipSync(Buffer.concat(sent)).equals(bytes)).toBe(true)
})
