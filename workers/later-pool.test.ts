import { expect, test } from 'vitest'
import { seamJob } from '../engine/commons/slicing/seam.ts'
import { LaterPool } from './later-pool.ts'

const NOTHING = { source: { descriptor: -1, size: 0 }, steps: [], room: new Uint8Array(0) }

test('threads are started by the first job', async () => {
  const pool = new LaterPool({ threads: 1 })
  await expect(pool.run(seamJob, NOTHING)).resolves.toBeDefined()
  await pool.close()
})

test('a pool that had nothing to do closes', async () => {
  await expect(new LaterPool({ threads: 1 }).close()).resolves.toBeUndefined()
})
