import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LOGIN_RULE_OF, operationsOfRow, RULE_OF } from './access-table.ts'
import { COSTLY_FAMILIES } from './support/costly-table.ts'

// SECURITY.md tells what each family of operations may cost, which limits ensure that, and which tests show it.

const ROOT = join(import.meta.dirname, '../..')
const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())

/** The rows of all tables of a text, without their headers. */
const rowsOf = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/^\|.*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)/gm)].flatMap(([, rows = '']) =>
    rows.trim().split('\n').map(cellsOf),
  )
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

const [, section = ''] = read('SECURITY.md').split('\n## Cost of each family of operations\n')
const doors = rowsOf(section.split('\n## ')[0] ?? '')
const limitNames = rowsOf(read('docs/reference/limits.md')).map(([name = '']) => name)

test('every family of operations has its row, and every row is one', () => {
  const told = doors.map(([door]) => door)
  expect(told.toSorted()).toEqual(COSTLY_FAMILIES.map(({ name }) => name).toSorted())
})

test('every operation of the access table is in one family', () => {
  const covered = COSTLY_FAMILIES.flatMap(({ rows }) => rows.flatMap(operationsOfRow))
  const all = [...RULE_OF.keys(), ...LOGIN_RULE_OF.keys()]
  expect(covered.toSorted()).toEqual(all.toSorted())
})

describe.each(doors)('%s', (_, cost, limits = '', tests = '') => {
  test('its cost is reported', () => {
    expect(cost).not.toBe('')
  })

  test('its limits are in the table of limits', () => {
    const unknown = limits
      .split('; ')
      .filter((limit) => !limitNames.some((name) => name.startsWith(limit)))
    expect(unknown).toEqual([])
  })

  test('its tests are there', () => {
    const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    expect(named).not.toEqual([])
    const places = named.map((name) => (name.includes('/') ? name : `test/attack/${name}`))
    expect(places.filter((place) => !existsSync(join(ROOT, place)))).toEqual([])
  })
})
