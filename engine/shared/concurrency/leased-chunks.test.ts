import { expect, test } from 'vitest'
import { BufferPool } from './buffer-pool.ts'
import { leasedChunks } from './leased-chunks.ts'

/** Five chunks of one byte, three at a time, from a pool of buffers. */
function numbers(pool: BufferPool) {
  let next = 0
  return leasedChunks(
    pool,
    (_, buffers) => {
      if (next === 5) return undefined
      const target = buffers.take()
      target[0] = next++
      return Promise.resolve({ chunk: target.subarray(0, 1), target })
    },
    { ahead: 3 },
  )
}

test('chunks arrive in order, and reuse the buffers of those before', async () => {
  const pool = new BufferPool(1)
  const found: number[] = []
  for await (const chunk of numbers(pool)) found.push(...chunk)
  expect(found).toEqual([0, 1, 2, 3, 4])
  // The buffer of a yielded chunk is given back before another chunk is started.
  expect(pool.bytes).toBe(3)
})

test('a consumer that stops early gives all buffers back', async () => {
  const pool = new BufferPool(1)
  for (let i = 0; i < 3; i++) for await (const _ of numbers(pool)) break
  expect(pool.bytes).toBe(3)
})
