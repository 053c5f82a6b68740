import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Row } from '../../bench/bench.ts'
import { type KeptResult, keptResults, performancePage } from '../../bench/page.ts'

const ROW: Row = {
  workload: 'small',
  unit: 'ms',
  ours: 'ours',
  oursMedian: 2.5,
  peer: 'a|b',
  peerMedian: 1250,
  as: 'times as fast',
  figure: 500,
  ratios: [400, 500, 612.345],
  target: { atLeast: 600 },
  met: false,
}

const RESULT: KeptResult = {
  bench: 'slicing',
  started: '2026-12-30T23:59:00.000Z',
  machine: {
    processor: 'Example CPU',
    processors: 8,
    memoryBytes: 2 ** 35,
    system: 'linux x64 6.1.0',
    loadBefore: 0.4,
  },
  versions: { node: 'v24.21.0', revision: '0123456789ab', samtools: 'samtools 1.16.1' },
  contests: [{ workload: 'small', rows: [ROW] }],
}

test('the page is what npm run performance makes of the results that are kept', () => {
  const path = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))
  expect(readFileSync(path, 'utf8')).toBe(performancePage(keptResults()))
})

test('a row has both medians, the figure with its range, what was wanted, commit and day', () => {
  const page = performancePage([RESULT])
  expect(page).toContain('## Example CPU, 8 processors, 32 GiB, linux x64')
  expect(page).toContain('### `npm run bench -- slicing`')
  expect(page).toContain(
    '| small | ours: 2.50 ms | a\\|b: 1.25 s | 500.00 times as fast (400.00 to 612.35) | >= 600, **missed** | 0123456789ab, 2026-12-30 |',
  )
  expect(page).toContain('With node 24.21.0, samtools 1.16.1.')
})

test('of each workload of a machine the newest result counts', () => {
  const later = {
    ...RESULT,
    started: '2026-12-31T10:00:00.000Z',
    contests: [{ workload: 'small', rows: [{ ...ROW, oursMedian: 9 }] }],
  }
  const elsewhere = { ...later, machine: { ...RESULT.machine, processor: 'Other CPU' } }
  const page = performancePage([RESULT, later, elsewhere])
  expect(page).not.toContain('ours: 2.50 ms')
  expect(page.match(/ours: 9\.00 ms/g)).toHaveLength(2)
  expect(page).toContain('## Other CPU')
})

test('without results the page says so', () => {
  expect(performancePage([])).toContain('No results are recorded yet.')
})
