import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import {
  type BenchResult,
  mergedResult,
  NotKept,
  objectionsTo,
  recordName,
  recordOf,
} from '../../bench/record.ts'

// Results that are kept in the repository tell the measurement and the environment, but nothing else about the
// machine.

const RESULT: BenchResult = {
  bench: 'slicing',
  started: new Date('2026-12-31T23:59:00Z'),
  quick: false,
  machine: {
    processor: 'Example(R) CPU @ 2.50GHz',
    processors: 8,
    memoryBytes: 2 ** 35,
    system: 'linux x64 6.1.0',
    loadBefore: 0.4,
  },
  versions: { node: 'v24.21.0', revision: '0123456789ab' },
  contests: [{ workload: 'small' }],
}
const PRIVATE = ['a-host-of-ours', '/home-of/somebody']

test('a result that is kept has the processor, how many there are, Node and the commit', () => {
  const kept = JSON.parse(recordOf(RESULT, PRIVATE))
  expect(kept).toMatchObject({ machine: RESULT.machine, versions: RESULT.versions })
  expect(recordName(RESULT)).toBe('slicing-2026-12-31-example-r-cpu-2-50ghz-8.json')
})

const { machine, versions } = RESULT
test.each<[string, Partial<BenchResult>]>([
  ['of a busy machine', { machine: { ...machine, loadBefore: 2.1 } }],
  ['of sources that were changed', { versions: { ...versions, revision: '0123456789ab-dirty' } }],
  ['of no commit', { versions: { node: 'v24.21.0' } }],
  ['of a machine that is not known', { machine: { ...machine, processor: 'unknown' } }],
])('a result %s is refused before anything is measured', (_what, change) => {
  expect(objectionsTo(RESULT)).toEqual([])
  expect(objectionsTo({ ...RESULT, ...change })).toHaveLength(1)
  expect(() => recordOf({ ...RESULT, ...change }, PRIVATE)).toThrow(NotKept)
})

test.each<[string, Partial<BenchResult>]>([
  ['of a quick run', { quick: true }],
  ['without figures', { contests: [] }],
  ['that names its machine', { versions: { ...versions, cc: 'cc of a-host-of-ours' } }],
  ['that names a folder of it', { contests: [{ workload: 'in /home-of/somebody/data' }] }],
])('a result %s is not kept', (_what, change) => {
  expect(() => recordOf({ ...RESULT, ...change }, PRIVATE)).toThrow(NotKept)
})

test('workloads take the place of those that were kept of the same commit, and of no other', () => {
  const now = { ...RESULT, contests: [{ workload: 'genes' }] }
  const both = { ...RESULT, contests: [{ workload: 'small' }, { workload: 'genes' }] }
  expect(mergedResult(RESULT, now)).toEqual(both)
  expect(mergedResult(both, now)).toEqual(both)
  const other = { ...now, versions: { ...versions, revision: 'ba9876543210' } }
  expect(mergedResult(RESULT, other)).toEqual(other)
})

test('results in the repository are such results', () => {
  const folder = fileURLToPath(new URL('../../bench/results/', import.meta.url))
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of names.filter((each) => !each.endsWith('.local.json'))) {
    const text = readFileSync(folder + name, 'utf8')
    const read = JSON.parse(text)
    const result: BenchResult = { ...read, started: new Date(read.started) }
    expect(recordOf(result, [])).toBe(text)
    expect(recordName(result)).toBe(name)
  }
})
