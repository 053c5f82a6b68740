import { describe, expect, test } from 'vitest'
import { CompiledVersion } from './compiled-version.ts'
import type { InputMap } from './result.ts'
import { stage } from './stage.ts'
import {
  madeContent,
  madeSchema,
  madeVersion,
  mappedVersion,
  USUAL_CASE,
} from './support/made-version.ts'

const SEXES = {
  columns: ['INPUT sex', 'DESCRIPTION description'],
  rows: [
    ['1', 'male'],
    ['2', 'female'],
    ['9', ''],
  ],
}
const bySex = (cell: string) => ({
  columns: ['INPUT site', 'INPUT hist', 'INPUT sex', 'ENDPOINT result'],
  rows: [
    ['C000', '8000', cell, 'MATCH'],
    ['C001', '8000', '*', 'MATCH'],
  ],
})
const sex = { key: 'sex', name: 'Sex', naaccr_item: 220, naaccr_xml_id: 'sex', table: 'sexes' }

/** Two schemas of the same site and histology, which an input distinguishes. */
const TWO = new CompiledVersion(
  madeContent(
    [
      madeSchema({ id: 'a', name: 'Of men', schema_selection_table: 'men', inputs: [sex] }),
      madeSchema({ id: 'b', schema_selection_table: 'women', inputs: [sex] }),
    ],
    { men: bySex('1'), women: bySex('2,9'), sexes: SEXES },
  ),
  { yearNow: () => '2026' },
)

const hintsOn = (version: CompiledVersion, input: InputMap) =>
  stage(version, input, { hints: true }).hints

describe('where several schemas are left', () => {
  const discriminator = {
    key: 'sex',
    name: 'Sex',
    naaccr_item: 220,
    naaccr_xml_id: 'sex',
    codes: [{ code: '1', label: 'male' }, { code: '2', label: 'female' }, { code: '9' }],
  }
  const schemas = [
    { schema: 'a', name: 'Of men', by: { sex: '1' } },
    { schema: 'b', by: { sex: '2,9' } },
  ]

  test('each is reported with what it needs, and the input that decides with its codes', () => {
    expect(hintsOn(TWO, { site: 'C000', hist: '8000' })).toEqual({
      schemas,
      discriminators: [discriminator],
    })
  })

  test('a value that leaves none is answered by all that there are', () => {
    expect(hintsOn(TWO, { site: 'C000', hist: '8000', sex: '7' })).toEqual({
      schemas,
      discriminators: [discriminator],
    })
  })

  test('nothing decides where the rows are alike', () => {
    expect(hintsOn(TWO, { site: 'C001', hist: '8000', sex: '1' })).toEqual({
      schemas: [
        { schema: 'a', name: 'Of men', by: { sex: '*' } },
        { schema: 'b', by: { sex: '*' } },
      ],
    })
  })

  test('one schema needs no hint', () => {
    expect(hintsOn(TWO, { site: 'C000', hist: '8000', sex: '1', year_dx: '2020' })).toEqual({})
  })
})

test('sites, histologies, years and keys that there are not are reported', () => {
  const version = madeVersion()
  expect(hintsOn(version, { site: 'C999', hist: '9999', sitte: '1' })?.warnings).toEqual([
    'no schema has an input "sitte"; did you mean "site"?',
    'the version has no such "site"; see its table "primary_site"',
    'the version has no such "hist"; see its table "histology"',
  ])
  expect(hintsOn(version, { ...USUAL_CASE, year_dx: '1999' })?.warnings).toEqual([
    'schema "made" takes no such "year_dx"; table "year" lists 2018-{{ctx_year_current}}',
  ])
})

describe('an error names outputs', () => {
  const outputsOf = (version: CompiledVersion, input: InputMap) =>
    stage(version, { ...USUAL_CASE, ...input }, { hints: true }).errors.map(
      ({ type, outputs = [] }) => [type, ...outputs],
    )
  const two = (rows: readonly (readonly string[])[]) =>
    mappedVersion(rows, {
      schema: { outputs: [{ key: 'out' }, { key: 'next' }, { key: 'apart' }] },
      mapping: { tables: [{ id: 't' }, { id: 'after' }, { id: 'other' }] },
      tables: {
        after: { columns: ['INPUT out', 'ENDPOINT next'], rows: [['*', 'VALUE:{{out}}']] },
        other: { columns: ['INPUT a', 'ENDPOINT apart'], rows: [['*', 'VALUE:1']] },
      },
    })

  test('that its table sets, and those that are made of them', () => {
    expect(outputsOf(two([['1', 'VALUE:x']]), { a: '2' })).toEqual([
      ['MATCH_NOT_FOUND', 'out', 'next'],
    ])
    expect(outputsOf(two([['2', 'ERROR:no']]), { a: '2' })).toEqual([
      ['STAGING_ERROR', 'out', 'next'],
    ])
  })

  test('that come later in the mapping, where the table could have ended it', () => {
    const rows = [
      ['1', 'STOP'],
      ['2', 'ERROR:no'],
    ]
    expect(outputsOf(two(rows), { a: '2' })).toEqual([['STAGING_ERROR', 'out', 'next', 'apart']])
  })

  test('that depend on an input which is not accepted', () => {
    const version = mappedVersion([['*', 'VALUE:x']], {
      schema: {
        inputs: [{ key: 'a', table: 'codes' }],
        outputs: [{ key: 'out' }, { key: 'fixed', default: '1' }],
      },
      tables: { codes: { columns: ['INPUT a'], rows: [['1']] } },
    })
    expect(outputsOf(version, { a: '2' })).toEqual([['INVALID_NON_REQUIRED_INPUT', 'out']])
  })

  test('that are not valid themselves', () => {
    const version = mappedVersion([['*', 'VALUE:x']], {
      schema: { outputs: [{ key: 'out', table: 'ends' }] },
      tables: { ends: { columns: ['INPUT out'], rows: [['y']] } },
    })
    expect(outputsOf(version, { a: '2' })).toEqual([['INVALID_OUTPUT', 'out']])
  })

  test('of the whole mapping, where a table that decides on it is not there', () => {
    const version = mappedVersion([['*', 'VALUE:x']], {
      mapping: { inclusion_tables: [{ id: 'gone' }] },
    })
    expect(outputsOf(version, { a: '2' })).toEqual([['UNKNOWN_TABLE', 'out']])
  })

  test('of the path, where what it is to be given is not there', () => {
    const version = mappedVersion([['*', 'VALUE:x']], {
      path: { input_mapping: [{ from: 'nothing', to: 'a' }] },
    })
    expect(outputsOf(version, { a: '2' })).toEqual([['UNKNOWN_INPUT_MAPPING', 'out']])
  })
})

test('names are those of the inputs and outputs that a case has', () => {
  const version = madeVersion(
    {
      inputs: [sex, { key: 'plain' }],
      outputs: [{ key: 'out', naaccr_xml_id: 'outId', default: '1' }],
    },
    { sexes: SEXES },
  )
  const input = { ...USUAL_CASE, sex: '1', plain: 'x' }
  expect(stage(version, input, { naaccr: true }).naaccr).toEqual({
    input: { sex: { naaccr_item: 220, naaccr_xml_id: 'sex', name: 'Sex' } },
    output: { out: { naaccr_xml_id: 'outId' } },
  })
  expect(stage(version, { site: 'C000' }, { naaccr: true }).naaccr).toBeUndefined()
})
