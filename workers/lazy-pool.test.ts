import { expect, test } from 'vitest'
import { edgeJob } from '../engine/commons/slicing/edge.ts'
import { LazyPool } from './lazy-pool.ts'

const NOTHING = {
  source: { descriptor: -1, size: 0 },
  format: { kind: 'BAM' } as const,
  steps: [],
  target: new Uint8Array(0),
}

test('threads are started by the first job', async () => {
  const pool = new LazyPool({ threads: 1 })
  await expect(pool.run(edgeJob, NOTHING)).resolves.toBeDefined()
  await pool.close()
})

test('a pool that had nothing to do closes', async () => {
  await expect(new LazyPool({ threads: 1 }).close()).resolves.toBeUndefined()
})
