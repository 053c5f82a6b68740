import { expect, test } from 'vitest'
import { withDrsUris } from './drs-manifest.ts'

// The expected text was written by hand.
const GIVEN = 'id\tname\nA\tü.txt\nB\tb\n'
const WANTED = 'id\tname\tdrs_uri\nA\tü.txt\tdrs://h:1/A\nB\tb\tdrs://h:1/B\n'

test('URIs are the same wherever chunks are cut', async () => {
  const bytes = Buffer.from(GIVEN)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const shared = Buffer.alloc(bytes.length)
    async function* chunks() {
      for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
        // Streams also reuse the memory of a chunk.
        part.copy(shared)
        yield shared.subarray(0, part.length)
      }
    }
    const got: Buffer[] = []
    for await (const part of withDrsUris(chunks(), 'h:1')) got.push(Buffer.from(part))
    expect(Buffer.concat(got).toString()).toBe(WANTED)
  }
})
