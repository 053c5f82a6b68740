import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Random, randomFrom } from '../../../../fixtures/random.ts'
import { cellsFrom, type MadeTable } from '../../../../fixtures/tables/made-table.ts'
import { depth, isLong, sample } from '../../../depth.ts'
import { cutTable, shuffled } from '../support/cut.ts'
import type { GivenSource } from '../support/documents.ts'
import { expectSame, expectSameOrTold } from './support/differences.ts'
import { changedFacts } from './support/facts.ts'
import { HABITS } from './support/habits.ts'
import type { Imported } from './support/imported.ts'
import { type Cells, cellsOf, isMatrix, tabSeparated } from './support/tables.ts'
import { WAYS } from './support/ways.ts'
import { WRITERS, writtenBy, writtenByMany } from './support/writers.ts'

// Properties of tables of every kind. The tables of one way are imported together, as they usually are.

/** Seeds are not shrunk, because a smaller seed is no simpler case. */
const SEEDS = fc.noShrink(fc.integer())

describe.each(WAYS)('$name', (way) => {
  const { tables, beside } = way
  const given = tables.map(cellsOf).map(tabSeparated)
  const read = (sources: readonly GivenSource[]) => way.read([...beside, ...sources])

  let expected: Imported
  beforeAll(async () => {
    expected = await read(given)
  })

  test('become records of every kind', () => {
    const { projects, ...records } = expected.records
    expect(Object.keys(records)).not.toEqual([])
    for (const [dataset, documents] of Object.entries(records)) {
      expect(documents.length, dataset).toBeGreaterThanOrEqual(9)
    }
  })

  describe('that another program has written again', () => {
    // Long tables are written once by many programs, short ones by each.
    if (isLong) {
      test.each([0, 1, 2])(
        'by a program each give the same records, or are told: %i',
        async (round) => {
          expectSameOrTold(await read(await writtenByMany(given, round)), expected)
        },
      )
      return
    }
    for (const writer of sample(WRITERS, 2, WRITERS.length)) {
      test.skipIf(!writer.isThere)(
        `by ${writer.name} give the same records, or are told`,
        async () => {
          expectSameOrTold(await read(await writtenBy(writer, given)), expected)
        },
      )
    }
  })

  describe('whole numbers', () => {
    for (const habit of sample(HABITS, 1, HABITS.length)) {
      test(`${habit.name} are the same numbers, or are told`, async () => {
        const changed = tables.map((table) => tabSeparated(habit.applyTo(table)))
        expectSameOrTold(await read(changed), expected)
      })
    }
  })

  test('columns, rows and files in any order give the same records', async () => {
    await fc.assert(
      fc.asyncProperty(SEEDS, async (seed) => {
        const random = randomFrom(seed)
        const files = tables.flatMap((table) => {
          const file = tabSeparated(inAnotherOrder(table, random))
          return way.isCut(table) ? cutTable(file, random) : [file]
        })
        expectSame(await way.read(shuffled([...beside, ...files], random)), expected)
      }),
      { seed: 37, numRuns: depth(1, 8, 2) },
    )
  })

  test('one changed cell changes one value', async () => {
    await fc.assert(
      fc.asyncProperty(SEEDS, async (seed) => {
        const random = randomFrom(seed)
        const { records } = await read(
          tables.map((table) => tabSeparated(withOneCellChanged(table, random))),
        )
        const changed = changedFacts(records, expected.records)
        // One in each table.
        expect(changed, JSON.stringify(changed)).toHaveLength(tables.length)
      }),
      { seed: 37, numRuns: depth(1, 8, 2) },
    )
  })
})

/** Shuffles rows and columns, except the columns before the samples of a matrix. */
function inAnotherOrder(table: MadeTable, random: Random): Cells {
  const { fileName, rows } = cellsOf(table)
  const [header = [], ...others] = rows
  const places = header.map((_, place) => place)
  const stay = isMatrix(table) ? table.columns.findIndex(({ isKey }) => !isKey) : 0
  const order = [...places.slice(0, stay), ...shuffled(places.slice(stay), random)]
  const shuffledRows = [header, ...shuffled(others, random)]
  return { fileName, rows: shuffledRows.map((cells) => order.map((place) => cells[place] ?? '')) }
}

/** Changes one cell to another value of its column, if that neither identifies nor joins records. */
function withOneCellChanged(table: MadeTable, random: Random): Cells {
  const { fileName, rows } = cellsOf(table)
  const columns = table.columns.flatMap(({ isKey }, column) => (isKey ? [] : [column]))
  const column = columns[random.below(columns.length)]!
  const row = random.below(table.rows)
  const known = rows[row + 1]?.[column]
  let drawn = known
  for (let draw = 1; drawn === known; draw++) drawn = cellsFrom(draw)(table, row, column)
  return { fileName, rows: rows.with(row + 1, rows[row + 1]!.with(column, drawn ?? '')) }
}
