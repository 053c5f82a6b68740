import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../shared/database/database.ts'
import { emptyState } from '../../shared-state.ts'
import { COHORT_LIMITS, Cohorts, type StoredCohort } from './cohorts.ts'

// The total size of cohorts is stored, and a list is read in steps. Both must agree with the rows.

const DAY = 86_400_000
let database: Database
let now: number
let cohorts: Cohorts
beforeEach(async () => {
  database = await emptyState()
  now = Date.parse('2026-01-05T10:00:00Z')
  cohorts = new Cohorts({
    database,
    clock: () => new Date(now),
    pin: async (filters) => filters,
    release: () => 'made',
  })
})
afterEach(() => database.close())

const owner = () => ({ context: cohorts.newContext(), client: 'someone' })
const given = (name: string, characters: number) => ({
  name,
  filters: { op: 'in', content: { field: 'cases.case_id', value: ['\u00e9'.repeat(characters)] } },
})

async function stepsOf(of: { readonly context: string }): Promise<readonly StoredCohort[][]> {
  const steps: StoredCohort[][] = []
  for await (const some of cohorts.list(of)) steps.push([...some])
  return steps
}

/** Returns the stored total and the total computed from all rows. */
async function sums(): Promise<readonly number[]> {
  const [kept] = await database.ask<{ bytes: number }>('SELECT bytes FROM cohort_room')
  const rows = await database.ask<{ filters: string }>('SELECT filters FROM cohorts')
  const { rowBytes } = COHORT_LIMITS
  return [
    kept?.bytes ?? Number.NaN,
    rows.reduce((sum, { filters }) => sum + rowBytes + Buffer.byteLength(filters), 0),
  ]
}

test('the sum is that of all rows, whatever is saved, replaced, deleted and swept', async () => {
  const mine = owner()
  const first = await cohorts.create(mine, given('first', 100))
  await cohorts.create(mine, given('second', 2000))
  await cohorts.create(mine, given('SECOND', 10), true)
  await cohorts.replace(mine, first.id, given('other', 5000))
  await expect(cohorts.create(mine, given('other', 7))).rejects.toThrow('unique')
  await expect(cohorts.replace(mine, 'none', given('none', 7))).rejects.toThrow('no cohort')
  const [kept, all] = await sums()
  expect(kept).toBe(all)
  expect(kept).toBeGreaterThan(20_000)
  await cohorts.delete(mine, first.id)
  await expect(cohorts.delete(mine, first.id)).rejects.toThrow('no cohort')
  const [left, rest] = await sums()
  expect(left).toBe(rest)
  expect(left).toBeLessThan(10_000)
})

test('what nobody has asked for is removed, some with each one that is made', async () => {
  const old = owner()
  for (let i = 0; i < 20; i++) await cohorts.create(old, given(`${i}`, 10))
  now += 401 * DAY
  const young = owner()
  await cohorts.create(young, given('one', 10))
  const left = async () => (await stepsOf(old)).flat().length
  const rows = async () => (await database.ask('SELECT id FROM cohorts')).length
  expect(await rows()).toBe(5)
  await cohorts.create(young, given('two', 10))
  expect([await rows(), await left()]).toEqual([2, 0])
  const [kept, all] = await sums()
  expect(kept).toBe(all)
})

test('cohorts are refused when all of them take all space', async () => {
  await database.write((transaction) =>
    transaction.run('UPDATE cohort_room SET bytes = ?', [COHORT_LIMITS.bytes - 100]),
  )
  await expect(cohorts.create(owner(), given('one', 10))).rejects.toMatchObject({ code: 'busy' })
})

test('a list has all cohorts by name, large ones one at a time', async () => {
  const mine = owner()
  const sizes = new Map([
    ...Array.from({ length: 30 }, (_, i) => [`small ${i + 10}`, 10] as const),
    ...(['a large', 'small 15 large', 'z large'] as const).map((name) => [name, 200_000] as const),
  ])
  for (const [name, characters] of sizes) await cohorts.create(mine, given(name, characters))
  const steps = await stepsOf(mine)
  const names = steps.flat().map(({ name }) => name)
  expect(names).toEqual([...sizes.keys()].toSorted())
  const large = steps.filter((some) => some.some(({ name }) => name.endsWith('large')))
  expect(large.map((some) => some.length)).toEqual([1, 1, 1])
  expect(steps.length).toBe(5)
})
