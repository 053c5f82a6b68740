import fc from 'fast-check'
import type { VersionContent } from '../../../engine/registry/staging/algorithm/model.ts'
import { parseSchema, parseTable } from '../../../engine/registry/staging/algorithm/parse.ts'
import type { InputMap } from '../../../engine/registry/staging/algorithm/result.ts'

// Small algorithms with few keys, tables and codes, so that the conditions of rules often coincide: ranges that
// overlap, references, jumps in circles, keys put and taken away.

const KEYS = ['a', 'b', 'c', 'd'] as const
const TABLES = ['t0', 't1', 't2', 't3', 'gone'] as const
const VALUES = ['', '1', '2', '05', '5', '10', '1.5', 'A', 'B', ' 1 ', 'AB', '{{a}}'] as const

const key = fc.constantFrom(...KEYS)
const table = fc.constantFrom(...TABLES)
const text = fc.constantFrom(...VALUES, '{{b}}', '{{none}}', '{{ctx_year_current}}')
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })

const part = fc.constantFrom('', '1', '2', '05', '1-10', '05-10', '0.5-9', 'A-C', 'A - B')
const reference = fc.constantFrom('{{a}}', '1-{{b}}', '{{c}}-{{d}}', '{{ctx_year_current}}-9999')
const cell = fc.oneof(
  { weight: 2, arbitrary: fc.constant('*') },
  { weight: 4, arbitrary: fc.array(part, { minLength: 1, maxLength: 3 }).map((all) => all.join()) },
  { weight: 1, arbitrary: reference },
  { weight: 1, arbitrary: fc.constantFrom(null, '*,1', '1-2-3', '-5', 'A-') },
)
const endpoint = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => `VALUE:${value}`) },
  { weight: 2, arbitrary: table.map((id) => `JUMP:${id}`) },
  { weight: 2, arbitrary: fc.constantFrom('VALUE', 'MATCH', 'STOP', 'ERROR', 'ERROR:no') },
)

const rowsOf = (inputs: number, endpoints: number) =>
  fc.array(
    fc.tuple(
      fc.array(cell, { minLength: inputs, maxLength: inputs }),
      fc.array(endpoint, { minLength: endpoints, maxLength: endpoints }),
    ),
    { maxLength: 5 },
  )

const tableJson = fc
  .tuple(fc.uniqueArray(key, { maxLength: 3 }), fc.uniqueArray(key, { maxLength: 2 }))
  .chain(([inputs, endpoints]) =>
    rowsOf(inputs.length, endpoints.length).map((rows) => ({
      definition: [
        ...inputs.map((one) => ({ key: one, type: 'INPUT' })),
        ...endpoints.map((one) => ({ key: one, type: 'ENDPOINT' })),
      ],
      rows: rows.map((parts) => parts.flat()),
    })),
  )

const pairs = maybe(fc.array(fc.record({ from: key, to: key }), { maxLength: 2 }))
const path = fc.record({ id: table, input_mapping: pairs, output_mapping: pairs })
const keyValues = maybe(fc.array(fc.record({ key, value: maybe(text) }), { maxLength: 2 }))
const mapping = fc.record({
  id: maybe(fc.constantFrom('m', 'n')),
  inclusion_tables: maybe(fc.array(path, { maxLength: 1 })),
  exclusion_tables: maybe(fc.array(path, { maxLength: 1 })),
  initial_context: keyValues,
  tables: fc.array(path, { maxLength: 3 }),
})
const input = fc.record({
  key,
  table: maybe(table),
  default: maybe(text),
  default_table: maybe(table),
  used_for_staging: fc.boolean(),
})
const schemaJson = fc.record({
  inputs: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(...KEYS.map((one) => input.map((json) => ({ ...json, key: one })))),
    },
    { weight: 1, arbitrary: fc.uniqueArray(input, { selector: (one) => one.key, maxLength: 3 }) },
  ),
  outputs: maybe(
    fc.uniqueArray(fc.record({ key, table: maybe(table), default: maybe(text) }), {
      selector: (one) => one.key,
      maxLength: 3,
    }),
  ),
  initial_context: keyValues,
  mappings: fc.array(mapping, { maxLength: 3 }),
  on_invalid_input: maybe(fc.constantFrom('CONTINUE', 'FAIL', 'FAIL_WHEN_USED_FOR_STAGING')),
})

const selection = fc
  .uniqueArray(fc.constantFrom('hist', 'a', 'b'), { maxLength: 2 })
  .chain((keys) =>
    fc.record({
      definition: fc.constant(['site', ...keys].map((one) => ({ key: one, type: 'INPUT' }))),
      rows: fc.array(
        fc.tuple(
          fc.constantFrom('S1', 'S2', 'S2-S3', '*'),
          ...keys.map((one) => (one === 'hist' ? fc.constantFrom('8000', '8000-8001', '*') : cell)),
        ),
        { maxLength: 3 },
      ),
    }),
  )

const codes = (one: string, cells: readonly string[]) => ({
  definition: [{ key: one, type: 'INPUT' }],
  rows: cells.map((code) => [code]),
})
const FIXED = {
  primary_site: codes('site', ['S1', 'S2', 'S3']),
  histology: codes('hist', ['8000-8002']),
  year: codes('year_dx', ['2018-{{ctx_year_current}}', '']),
}
const INPUTS = [
  { key: 'site' },
  { key: 'hist', table: 'histology' },
  { key: 'year_dx', table: 'year' },
]

export const randomVersion: fc.Arbitrary<VersionContent> = fc
  .record({
    schemas: fc.array(schemaJson, { minLength: 2, maxLength: 2 }),
    selections: fc.array(selection, { minLength: 2, maxLength: 2 }),
    tables: fc.array(tableJson, { minLength: 4, maxLength: 4 }),
  })
  .map(({ schemas, selections, tables }) => {
    const named = Object.entries({
      ...FIXED,
      ...Object.fromEntries(tables.map((json, i) => [`t${i}`, json])),
      ...Object.fromEntries(selections.map((json, i) => [`selection${i}`, json])),
    }).map(([id, json]) => [id, parseTable({ id, ...json })] as const)
    const parsed = schemas.map((json, i) =>
      parseSchema({
        ...json,
        id: `s${i}`,
        schema_selection_table: `selection${i}`,
        inputs: [...INPUTS, ...json.inputs],
      }),
    )
    return {
      algorithm: 'random',
      version: '1.0',
      schemas: new Map(parsed.map((schema) => [schema.id, schema])),
      tables: new Map(named),
      glossary: new Map(),
    }
  })

const value = fc.constantFrom(...VALUES, null)
const others = { a: value, b: value, c: value, d: value }
const usual = {
  site: fc.constantFrom('S1', 'S1', 'S2'),
  hist: fc.constantFrom('8000', '8000', '8001'),
  year_dx: fc.constantFrom('2020', '2020', '2026', ''),
}
const odd = {
  site: fc.constantFrom('S1', 'S3', '', null),
  hist: fc.constantFrom('8000', '8002', '', null),
  year_dx: fc.constantFrom('2020', '1999', '', null),
}

/** Mostly cases that a schema may be found for. */
export const randomCase: fc.Arbitrary<InputMap> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ...usual, ...others }, { requiredKeys: ['site', 'hist', 'year_dx'] }),
  },
  { weight: 1, arbitrary: fc.record({ ...odd, ...others }, { requiredKeys: [] }) },
)
