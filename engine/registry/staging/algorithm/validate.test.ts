import { describe, expect, test } from 'vitest'
import { parseSchema, parseTable } from './parse.ts'
import { checkName, checkSchema, checkTable, schemaIssues, tableIssues } from './validate.ts'

const SCHEMA = {
  id: 'made',
  schema_selection_table: 'selection',
  inputs: [{ key: 'site' }, { key: 'hist' }],
}
const TABLE = {
  id: 'made',
  definition: [
    { key: 'a', type: 'INPUT' },
    { key: 'a', type: 'ENDPOINT' },
    { type: 'DESCRIPTION' },
  ],
  rows: [['1', 'VALUE:1', 'one']],
}

const places = (issues: readonly { readonly at: string }[]) => issues.map(({ at }) => at)

describe('a schema by itself (registry.md 4.10)', () => {
  const input = (more: object) => ({ ...SCHEMA, inputs: [...SCHEMA.inputs, more] })

  test('may be as small as this', () => {
    expect(schemaIssues(parseSchema(SCHEMA))).toEqual([])
    expect(() => checkSchema(parseSchema(SCHEMA))).not.toThrow()
  })

  test.each([
    ['id', { ...SCHEMA, id: 'a b' }],
    ['schema_selection_table', { ...SCHEMA, schema_selection_table: '' }],
    ['inputs', { ...SCHEMA, inputs: [{ key: 'site' }] }],
    ['inputs[2].key', input({ key: '' })],
    ['inputs[2].key', input({ key: 'site' })],
    ['inputs[2].default_table', input({ key: 'a', default: '1', default_table: 't' })],
    ['outputs[1].key', { ...SCHEMA, outputs: [{ key: 'a' }, { key: 'a' }] }],
    ['mappings[1].id', { ...SCHEMA, mappings: [{ id: 'm' }, { id: 'm' }] }],
    [
      'mappings[0].initial_context[1].key',
      {
        ...SCHEMA,
        mappings: [{ id: 'm', initial_context: [{ key: 'a' }, { key: 'hist' }] }],
      },
    ],
    ['schema_discriminators[0]', { ...SCHEMA, schema_discriminators: ['sex'] }],
  ])('is wrong at %s', (at, json) => {
    const schema = parseSchema(json)
    expect(places(schemaIssues(schema))).toEqual([at])
    expect(() => checkSchema(schema)).toThrow(
      expect.objectContaining({
        code: 'bad_input',
        at,
        message: expect.stringContaining(`"${at}"`),
      }),
    )
  })
})

describe('a table by itself (registry.md 4.10)', () => {
  test('may have one key as INPUT and as ENDPOINT', () => {
    expect(tableIssues(parseTable(TABLE))).toEqual([])
    expect(() => checkTable(parseTable(TABLE))).not.toThrow()
  })

  const cells = (...rows: unknown[]) => ({ ...TABLE, rows: [...TABLE.rows, ...rows] })

  test.each([
    ['id', { ...TABLE, id: '' }],
    ['definition', { ...TABLE, definition: [], rows: [] }],
    ['definition[0].key', { ...TABLE, definition: [{ type: 'INPUT' }], rows: [] }],
    [
      'definition[1].key',
      {
        ...TABLE,
        definition: [
          { key: 'a', type: 'INPUT' },
          { key: 'a', type: 'INPUT' },
        ],
        rows: [],
      },
    ],
    ['definition', { ...TABLE, id: 'histology', definition: [{ type: 'DESCRIPTION' }], rows: [] }],
    ['rows[1]', cells(['1', 'MATCH'])],
    ['rows[1]', cells(['1', 'MATCH', 'x', 'y'])],
    ['rows[1][0]', cells([null, 'MATCH', 'x'])],
    ['rows[2][1]', cells(['1', 'MATCH', 'x'], ['1', 'GO', 'x'])],
    ['rows[1][1]', cells(['1', 'JUMP:', 'x'])],
  ])('is wrong at %s', (at, json) => {
    const table = parseTable(json)
    expect(places(tableIssues(table))).toEqual([at])
    expect(() => checkTable(table)).toThrow(expect.objectContaining({ code: 'bad_input', at }))
  })

  test('is reported of every cell that is wrong', () => {
    const issues = tableIssues(parseTable(cells(['1', 'GO', 'x'], ['1', 'GO', 'x'])))
    expect(places(issues)).toEqual(['rows[1][1]', 'rows[2][1]'])
  })
})

test.each(['cs', '02.05.50', 'a_b-c.d', 'x'.repeat(128)])('%s is a name', (name) => {
  expect(() => checkName(name, 'id')).not.toThrow()
})

test.each(['', 'a b', 'ä', '../x', 'x'.repeat(129)])('%j is no name', (name) => {
  expect(() => checkName(name, 'id')).toThrow(
    expect.objectContaining({ code: 'bad_input', at: 'id' }),
  )
})
