import { expect, test } from 'vitest'
import { BufferPool } from './buffer-pool.ts'

test('buffers are used again, and beyond those that are kept they are let go', () => {
  const pool = new BufferPool(16, 2)
  const taken = [pool.take(), pool.take(), pool.take()]
  expect(pool.bytes).toBe(48)
  for (const buffer of taken) pool.give(buffer)
  expect(pool.bytes).toBe(32)
  const again = [pool.take(), pool.take(), pool.take()]
  expect(again.filter((buffer) => taken.includes(buffer))).toHaveLength(2)
  expect(pool.bytes).toBe(48)
})
