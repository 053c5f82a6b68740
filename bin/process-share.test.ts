import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readConfig } from '../server/config.ts'
import { shareOfConfig, shareOfLimits } from './process-share.ts'

const processes = fc.integer({ min: 1, max: 256 })

test('processes together allow no more than the settings, and each allows something', () => {
  const limit = fc.integer({ min: 256, max: 1_000_000 })
  fc.assert(
    fc.property(processes, limit, (count, ratePerMinute) => {
      const share = shareOfConfig(readConfig({ flags: { processes: count, ratePerMinute } }))
      expect(share.ratePerMinute).toBeGreaterThan(0)
      expect(share.ratePerMinute * count).toBeLessThanOrEqual(ratePerMinute)
    }),
    { seed: 1 },
  )
})

test('no limit stays none', () => {
  const share = shareOfConfig(readConfig({ flags: { processes: 8 } }))
  expect([share.ratePerMinute, share.concurrentRequests]).toEqual([0, 0])
})

test('one process has all', () => {
  const config = readConfig()
  expect(shareOfConfig(config)).toBe(config)
  expect(shareOfLimits(1)).toEqual({})
})

test('two processes keep half of what one does', () => {
  expect(shareOfLimits(2)).toMatchObject({ activeSlices: 32, releaseBytes: 192 << 20 })
})
