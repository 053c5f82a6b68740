import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { differenceBetween, pinnedOf } from '../../bench/commons/analysis/answers.ts'
import { openDuck } from '../../bench/commons/analysis/duckdb/peer.ts'
import { leastShare } from '../../bench/commons/analysis/fairness.ts'
import { PINS } from '../../bench/commons/analysis/pins.ts'
import { findPython, startPython } from '../../bench/commons/analysis/python-peer.ts'
import {
  type Question,
  WORKLOADS,
  type WorkloadName,
} from '../../bench/commons/analysis/questions.ts'
import { startR } from '../../bench/commons/analysis/r-peer.ts'
import type { Peer } from '../../bench/commons/analysis/way.ts'
import { available } from '../available.ts'
import { type AnalysisInput, makeAnalysisInput } from './support/analysis-input.ts'

// The benchmark measures nothing unless all answers are equal and select the pinned results. This test checks
// the same for the peers, with a release that takes a second to make.

let made: AnalysisInput

beforeAll(async () => {
  made = await makeAnalysisInput()
})

afterAll(() => made?.remove())

const ofKinds = (...kinds: readonly Question['kind'][]) =>
  WORKLOADS.filter((workload) => kinds.some((kind) => workload.startsWith(kind)))

const COUNTS = ['top-genes', 'top-cases', 'cases-of-genes', 'mutated-cases'] as const
const EXPRESSION = ['values', 'selection'] as const
const TESTS = ['differential', 'coexpression'] as const

/** Runs every variant of a peer and checks that all of them answer the same. */
async function askPeer(peer: Peer, workload: WorkloadName): Promise<void> {
  const pins = PINS.test[workload] ?? []
  expect(pins.length).toBeGreaterThan(0)
  try {
    for (const [i, pin] of pins.entries()) {
      const question = made.questions[workload][i]!
      const contestants = peer.contestants(question.kind).filter(({ isPart }) => !isPart)
      const ways = contestants.flatMap((contestant) => contestant.ways)
      expect(ways).not.toHaveLength(0)
      const first = await ways[0]!.answer(question)
      for (const way of ways) {
        const answer = await way.answer(question)
        expect(pinnedOf(question, answer), way.name).toEqual(pin)
        expect(differenceBetween(answer, first), way.name).toBeUndefined()
      }
    }
  } finally {
    await peer.stop()
  }
}

test.each(ofKinds(...EXPRESSION, ...COUNTS))(
  'every way of DuckDB selects what is pinned for %s',
  async (workload) => askPeer(await openDuck(made.input.duck, made.folder), workload),
)

test.skipIf(!available.numpy).each(ofKinds(...EXPRESSION, ...TESTS, ...COUNTS, 'cells'))(
  'numpy, pandas, h5py or scipy select what is pinned for %s',
  async (workload) =>
    askPeer(await startPython((await findPython())!, made.input, made.folder), workload),
)

test.skipIf(!available.survival)('R estimates the pinned survival', async () => {
  await askPeer(await startR(made.input.donors, made.folder), 'survival')
})

describe('answers that are compared', () => {
  const table = (text: string) => ({ table: Buffer.from(text) })

  test('tables are equal when their numbers are, however they are printed', () => {
    const ours = table('gene_id\ta\tb\nG1\t0.00000\t5\n')
    expect(differenceBetween(ours, table('gene_id\ta\tb\nG1\t-0.00000\t5.0\n'))).toBeUndefined()
  })

  test.each([
    ['gene_id\ta\tb\nG1\t0.00001\t5\n', 'line 2, column 2: 0.00000 and 0.00001'],
    ['gene_id\ta\tb\nG1\t0.00000\n', 'line 2, column 3: 5 and undefined'],
    ['gene_id\ta\tb\nG2\t0.00000\t5\n', 'line 2, column 1: G1 and G2'],
    ['gene_id\ta\tb\n', 'line 2, column 1: G1 and undefined'],
  ])('a table that differs is reported by line and column: %j', (text, told) => {
    expect(differenceBetween(table('gene_id\ta\tb\nG1\t0.00000\t5\n'), table(text))).toBe(told)
  })

  test('numbers are equal when they differ by less than a billionth', () => {
    expect(differenceBetween({ value: [1] }, { value: [1 + 1e-12] })).toBeUndefined()
    expect(differenceBetween({ value: [1] }, { value: [1 + 1e-8] })).toContain('the answer.0')
  })
})

test('the least share is that of the slowest client in its worst five seconds', () => {
  // One client gets ten bytes per tick, and the other gets none during the third second.
  const ticks = Array.from({ length: 101 }, (_, i) => [
    10 * i,
    10 * (i - Math.min(Math.max(i - 20, 0), 10)),
  ])
  // In the worst window the clients get 500 and 400 bytes, so the share is 400 of 450.
  expect(leastShare({ ticks })).toBeCloseTo(400 / 450, 12)
})
