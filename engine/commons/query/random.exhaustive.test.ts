import { describe, expect, test } from 'vitest'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { resolveField } from '../datasets/resolve.ts'
import { evaluate } from './evaluate.ts'
import type { Facet, Query } from './query.ts'
import { joinsOf } from './support/joins.ts'
import { memoryRelease } from './support/memory-release.ts'
import { Oracle, type Written, withoutField } from './support/oracle.ts'
import { parseFilter } from './support/parse-filter.ts'
import { Dice, FIELDS, randomCommons, randomFilter } from './support/random-commons.ts'

const field = (dataset: DatasetName, path: string) => {
  const found = resolveField(DATASETS[dataset], path)
  if (!found) throw new Error(path)
  return found
}

/** Covers each combination of extras by consecutive seeds. */
const extrasOf = (seed: number) => ({ ordered: seed % 2 === 0, bitmapped: (seed >> 1) % 2 === 0 })

describe.each(Object.entries(FIELDS) as [DatasetName, readonly string[]][])(
  'on generated %s',
  (dataset, fields) => {
    const query = (written: Written | undefined): Query => {
      const filter = parseFilter(DATASETS[dataset], written)
      return { dataset, ...(filter && { filter }), facets: [], sort: [], from: 0, size: 1e8 }
    }

    test('filters select the records of the specification', () => {
      for (let seed = 1; seed <= 6; seed++) {
        const dice = new Dice(seed)
        const release = memoryRelease(randomCommons(dice, 5 + dice.below(40)), extrasOf(seed))
        const oracle = new Oracle(dataset, release)
        for (let i = 0; i < 60; i++) {
          const written = randomFilter(dice, fields)
          const asked = query(written)
          const joins = i % 2 === 0 ? joinsOf(asked, release.arrays) : undefined
          const { rows, total } = evaluate(asked, release.arrays, joins)
          const seen = { seed, i, written: JSON.stringify(written), rows: [...rows] }
          expect(seen).toEqual({ ...seen, rows: oracle.rows(written) })
          expect(total).toBe(rows.length)
        }
      }
    })

    test('facets have the counts of the specification', () => {
      for (let seed = 101; seed <= 104; seed++) {
        const dice = new Dice(seed)
        const release = memoryRelease(randomCommons(dice, 5 + dice.below(40)), extrasOf(seed))
        const oracle = new Oracle(dataset, release)
        for (let i = 0; i < 20; i++) {
          const written = dice.next() < 0.15 ? undefined : randomFilter(dice, fields, 2)
          const names = [...new Set([dice.of(fields), dice.of(fields), ...fieldsIn(written)])]
          const facets = names.map(
            (name): Facet => ({
              name,
              field: field(dataset, name),
              counts: [{ kind: 'values' }],
            }),
          )
          const asked = { ...query(written), facets, size: 0 }
          const joins = seed % 3 > 0 ? joinsOf(asked, release.arrays) : undefined
          const { aggregations } = evaluate(asked, release.arrays, joins)
          const found = JSON.parse(new TextDecoder().decode(aggregations))
          const expected = Object.fromEntries(
            names.map((name) => {
              const rows = oracle.rows(written && withoutField(written, name))
              return [name, rounded(oracle.facet(name, rows))]
            }),
          )
          const seen = { seed, i, written: JSON.stringify(written), found: rounded(found) }
          expect(seen).toEqual({ ...seen, found: expected })
        }
      }
    })

    test('pages of a sorted search are its records in order', () => {
      for (let seed = 201; seed <= 204; seed++) {
        const dice = new Dice(seed)
        const release = memoryRelease(randomCommons(dice, 5 + dice.below(40)), extrasOf(seed))
        const oracle = new Oracle(dataset, release)
        for (let i = 0; i < 20; i++) {
          const written = dice.next() < 0.3 ? undefined : randomFilter(dice, fields, 1)
          const keys = dice.list(3, () => ({
            field: dice.of(fields),
            descending: dice.next() < 0.5,
          }))
          const sort = keys.map((key) => ({ ...key, field: field(dataset, key.field) }))
          const size = dice.of([1, 3, 7, 50])
          const paged: number[] = []
          for (let from = 0; from === 0 || from <= paged.length; from += size) {
            const page = { ...query(written), sort, from, size }
            paged.push(...evaluate(page, release.arrays).rows)
          }
          const whole = [...evaluate({ ...query(written), sort }, release.arrays).rows]
          const seen = { seed, i, keys, written: JSON.stringify(written), paged, whole }
          const sorted = oracle.sorted(oracle.rows(written), keys)
          expect(seen).toEqual({ ...seen, paged: sorted, whole: sorted })
        }
      }
    })
  },
)

function fieldsIn(filter: Written | undefined): readonly string[] {
  if (!filter) return []
  return Array.isArray(filter.content)
    ? (filter.content as readonly Written[]).flatMap(fieldsIn)
    : [(filter.content as { field: string }).field]
}

/** Rounds numbers, because a sum of decimals depends on the order of addition in its last digits. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) =>
    typeof one === 'number' ? Number(one.toPrecision(12)) : one,
  )
}
