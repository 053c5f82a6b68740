import { expect, test } from 'vitest'
import { parseInputMap, parseSchema, parseTable, parseTerm } from './parse.ts'

const SCHEMA = { id: 'a', schema_selection_table: 's', inputs: [{ key: 'site' }] }
const TABLE = { id: 't', definition: [{ key: 'a', type: 'INPUT' }], rows: [['1']] }

test('a schema keeps what the model has and drops all else', () => {
  const schema = parseSchema({ ...SCHEMA, colour: 'red', title: null, schema_num: 7 })
  expect(schema).toStrictEqual({ ...SCHEMA, schema_num: 7 })
})

test('a bare name of metadata becomes an object', () => {
  const schema = parseSchema({
    ...SCHEMA,
    inputs: [{ key: 'site', metadata: ['OLD', { name: 'NEW', start: 2018 }] }],
  })
  expect(schema.inputs[0]?.metadata).toEqual([{ name: 'OLD' }, { name: 'NEW', start: 2018 }])
})

test('all of it is frozen', () => {
  const table = parseTable(TABLE)
  const parts = [table, table.definition, table.definition[0], table.rows, table.rows[0]]
  expect(parts.every(Object.isFrozen)).toBe(true)
})

test.each([
  ['id', { ...SCHEMA, id: undefined }],
  ['id', { ...SCHEMA, id: 5 }],
  ['schema_selection_table', { ...SCHEMA, schema_selection_table: null }],
  ['inputs', { ...SCHEMA, inputs: {} }],
  ['inputs[0].key', { ...SCHEMA, inputs: [{}] }],
  ['inputs[0]', { ...SCHEMA, inputs: ['site'] }],
  ['inputs[0].used_for_staging', { ...SCHEMA, inputs: [{ key: 'a', used_for_staging: 'yes' }] }],
  [
    'outputs[0].metadata[1].name',
    {
      ...SCHEMA,
      outputs: [{ key: 'a', metadata: ['x', { start: 1 }] }],
    },
  ],
  ['on_invalid_input', { ...SCHEMA, on_invalid_input: 'PERHAPS' }],
  ['schema_num', { ...SCHEMA, schema_num: 1.5 }],
  ['mappings[0].tables[1].id', { ...SCHEMA, mappings: [{ tables: [{ id: 'x' }, {}] }] }],
  [
    'mappings[0].tables[0].input_mapping[0].to',
    {
      ...SCHEMA,
      mappings: [{ tables: [{ id: 'x', input_mapping: [{ from: 'a' }] }] }],
    },
  ],
])('a schema that is wrong at %s is refused with that place', (at, json) => {
  expect(() => parseSchema(json)).toThrow(
    expect.objectContaining({ code: 'bad_input', at, message: expect.stringContaining(`"${at}"`) }),
  )
})

test.each([
  ['definition[0].type', { ...TABLE, definition: [{ key: 'a', type: 'input' }] }],
  ['rows[0][0]', { ...TABLE, rows: [[5]] }],
  ['rows[1]', { ...TABLE, rows: [['1'], 'x'] }],
])('a table that is wrong at %s is refused with that place', (at, json) => {
  expect(() => parseTable(json)).toThrow(expect.objectContaining({ code: 'bad_input', at }))
})

test.each([null, [], 'x', 5])('%j is no document', (json) => {
  for (const parse of [parseSchema, parseTable, (value: unknown) => parseTerm(value, 'x')]) {
    expect(() => parse(json)).toThrow(expect.objectContaining({ code: 'bad_input' }))
  }
})

test('a term has the id of its file', () => {
  expect(parseTerm({ name: 'Node', alternate_names: ['N'] }, 'f00')).toEqual({
    id: 'f00',
    name: 'Node',
    alternate_names: ['N'],
  })
})

test('an input map has texts and nulls', () => {
  const map = JSON.parse('{"site":"C000","hist":null,"__proto__":"x"}')
  expect(parseInputMap(map)).toBe(map)
})

test.each([
  ['', null],
  ['', ['site']],
  ['', 'site'],
  ['site', { site: 5 }],
  ['hist', { site: 'C000', hist: { deep: true } }],
])('an input map that is wrong at "%s" is refused without its value', (at, json) => {
  expect(() => parseInputMap(json)).toThrow(expect.objectContaining({ code: 'bad_input', at }))
})

test.each([
  ['a text', { site: 'x'.repeat(10_001) }],
  ['a key', { ['x'.repeat(10_001)]: '1' }],
  ['too many keys', Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [i, '1']))],
])('an input map is refused for %s that no case has, in few words', (_what, json) => {
  expect(() => parseInputMap(json)).toThrow(
    expect.objectContaining({ code: 'bad_input', message: expect.stringMatching(/^.{1,200}$/) }),
  )
})
