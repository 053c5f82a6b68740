import { expect, test } from 'vitest'
import { BufferLease, BufferPool } from './buffer-pool.ts'

test('buffers are used again, and beyond those that are kept they are let go', () => {
  const pool = new BufferPool(16, { most: 2 })
  const taken = [pool.take(), pool.take(), pool.take()]
  expect(pool.bytes).toBe(48)
  for (const buffer of taken) pool.give(buffer)
  expect(pool.bytes).toBe(32)
  const again = [pool.take(), pool.take(), pool.take()]
  expect(again.filter((buffer) => taken.includes(buffer))).toHaveLength(2)
  expect(pool.bytes).toBe(48)
})

test('a lease gives back what it has taken, once, and takes no more than the pool keeps', () => {
  const pool = new BufferPool(16, { most: 2 })
  const lease = new BufferLease(pool)
  const first = lease.takeKept()
  const second = lease.takeKept()
  expect(first).toBeDefined()
  expect(lease.takeKept()).toBeUndefined()
  lease.give(first)
  lease.give(first)
  lease.give(undefined)
  expect(lease.takeKept()).toBe(first)
  lease.giveAll()
  expect([pool.take(), pool.take()]).toEqual(expect.arrayContaining([first, second]))
  expect(pool.bytes).toBe(32)
})
