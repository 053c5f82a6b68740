import { expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { countOf, listRows } from './listing.ts'
import { planRows, selectPlanned } from './select.ts'
import { rowsOf } from './selection.ts'
import { queryOf } from './support/ask.ts'
import { joinsOf } from './support/joins.ts'
import { memoryRelease } from './support/memory-release.ts'
import { Oracle, type Written } from './support/oracle.ts'
import { parseFilter } from './support/parse-filter.ts'
import { Dice, FIELDS, randomCommons, randomFilter } from './support/random-commons.ts'

const DATASET_FIELDS = Object.entries(FIELDS) as [DatasetName, readonly string[]][]

// With some hundred records, a sixteenth is more than one record.
test('conditions list, count and select the records of the specification', () => {
  let listed = 0
  let counted = 0
  for (const [dataset, fields] of DATASET_FIELDS) {
    for (const [seed, ordered] of [
      [1, true],
      [2, false],
    ] as const) {
      const dice = new Dice(seed)
      const release = memoryRelease(randomCommons(dice, 200), { ordered, bitmapped: !ordered })
      const oracle = new Oracle(dataset, release)
      const { arrays } = release
      for (let i = 0; i < depth(16, 80); i++) {
        const leaf = () => randomFilter(dice, fields, 0)
        const written = i % 2 === 0 ? leaf() : ({ op: 'and', content: [leaf(), leaf()] } as Written)
        const filter = parseFilter(DATASETS[dataset], written)
        const joins = joinsOf(queryOf(dataset, { filters: written }), arrays)
        const plan = planRows({ dataset, filter }, [], arrays, joins)
        const expected = oracle.rows(written)
        const seen = { dataset, seed, i, written: JSON.stringify(written), rows: expected }
        const { rows } = selectPlanned(plan)
        expect({ ...seen, rows: [...rowsOf(rows)] }).toEqual(seen)
        expect(rows.count).toBe(expected.length)
        const [units = []] = plan.plans.values()
        const few = listRows(units, arrays.rows(dataset))
        if (few) expect({ ...seen, rows: [...few].sort((a, b) => a - b) }).toEqual(seen)
        if (few && few.length > 0) listed++
        const [only, other] = units
        const count = only && !other ? countOf(only, arrays.rows(dataset)) : undefined
        if (count !== undefined) expect(count).toBe(expected.length)
        if (count !== undefined) counted++
      }
    }
  }
  // Ensures that the cases above occurred often enough.
  expect(listed).toBeGreaterThan(depth(1, 8))
  expect(counted).toBeGreaterThan(depth(20, 100))
})
