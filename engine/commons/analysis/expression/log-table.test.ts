import { expect, test } from 'vitest'
import { randomFrom } from '../../../../fixtures/random.ts'
import { exactLog, fastLog, LOG_SCALE, MAX_FAST, ROUGH_LOG_ERROR, roughLog } from './log-table.ts'
import { UNSURE } from './row-writer.ts'

/** Error bound stated in the comment of fastLog. */
const FAST_LOG_ERROR = 2e-14

test('fast and rough logarithms are as near as is said, at the edges of every entry and anywhere', () => {
  const random = randomFrom(7)
  let worst = 0
  let roughest = 0
  const see = (stored: number) => {
    if (stored < 0 || stored > MAX_FAST) return
    if (stored < 2 ** 31)
      roughest = Math.max(roughest, Math.abs(roughLog(stored) - LOG_SCALE - exactLog(stored)))
    worst = Math.max(worst, Math.abs(fastLog(stored) - LOG_SCALE - exactLog(stored)))
  }
  for (let power = 13; power < 32; power++) {
    for (let entry = 0; entry <= 2048; entry++) {
      const edge = Math.floor(2 ** power * (1 + entry / 2048)) - 10_000
      for (let beside = -2; beside <= 2; beside++) see(edge + beside)
    }
  }
  for (let i = 0; i < 2_000_000; i++) see(Math.floor(2 ** (32 * random.unit())))
  see(MAX_FAST)
  expect(worst).toBeGreaterThan(0)
  expect(worst).toBeLessThan(FAST_LOG_ERROR)
  expect(roughest).toBeGreaterThan(ROUGH_LOG_ERROR / 2)
  expect(roughest).toBeLessThan(ROUGH_LOG_ERROR)
})

test('what decides that a cell takes the exact way is far above what a fast one can be wrong by', () => {
  // Errors of fastLog, of the exact logarithm (a unit in the last place of 32), and of the subtraction.
  const most = (FAST_LOG_ERROR + 32 * Number.EPSILON + 32 * Number.EPSILON) * 100_000
  expect(UNSURE).toBeGreaterThan(100 * most)
})
