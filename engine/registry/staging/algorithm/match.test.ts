import { expect, test } from 'vitest'
import { isCodeValid, matchTable } from './match.ts'
import { madeVersion } from './support/made-version.ts'

const VERSION = madeVersion(
  {
    inputs: [{ key: 'a', table: 'codes' }, { key: 'b', table: 'gone' }, { key: 'free' }],
  },
  {
    codes: {
      columns: ['INPUT a', 'INPUT b', 'DESCRIPTION d'],
      rows: [
        ['1', '', 'one'],
        ['2', 'x', 'two'],
      ],
    },
    refers: { columns: ['INPUT a'], rows: [['{{b}}-9'], ['{{ctx_alg_version}}']] },
    open: { columns: ['DESCRIPTION d', 'ENDPOINT e'], rows: [['any', 'MATCH']] },
    empty: { columns: ['INPUT a'], rows: [] },
  },
)

// From rules 9 and 32 of registry.md.
test.each([
  ['codes', { a: '1' }, 0],
  ['codes', { a: '1', b: null, other: 'x' }, 0],
  ['codes', { a: '2', b: 'x' }, 1],
  ['codes', { a: '2' }, undefined],
  ['codes', { a: ' 1' }, undefined],
  ['codes', {}, undefined],
  ['refers', { a: '5', b: '4' }, 0],
  ['refers', { a: '5', b: '6' }, undefined],
  ['refers', { a: '5', b: '4' }, 0],
  ['refers', { a: '1.0', ctx_alg_version: '2.0' }, 1],
  ['year', { year_dx: '2026', ctx_year_current: '1999' }, 0],
  ['open', {}, 0],
  ['empty', { a: '1' }, undefined],
])('table %s matches %j at row %s', (table, input, row) => {
  const wanted = row === undefined ? { match: false } : { match: true, row }
  expect(matchTable(VERSION, table, input)).toStrictEqual(wanted)
})

test('a table that is not there cannot be matched', () => {
  expect(() => matchTable(VERSION, 'gone', {})).toThrow(
    expect.objectContaining({ code: 'not_found', message: "Table 'gone' does not exist." }),
  )
})

// From rule 33 of registry.md.
test.each([
  [{ schema: 'other', key: 'a', value: '1' }, false],
  [{ schema: 'made', key: 'none', value: '1' }, false],
  [{ schema: 'made', key: 'free', value: 'anything' }, true],
  [{ schema: 'made', key: 'b', value: '1' }, false],
  [{ schema: 'made', key: 'a', value: ' 1 ' }, true],
  [{ schema: 'made', key: 'a', value: '2' }, false],
  [{ schema: 'made', key: 'site' }, false],
])('of %j the code is valid: %s', (asked, wanted) => {
  expect(isCodeValid(VERSION, asked)).toBe(wanted)
})
