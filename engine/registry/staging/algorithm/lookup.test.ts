import { describe, expect, test } from 'vitest'
import { CompiledVersion } from './compiled-version.ts'
import { lookupSchemas, schemaInfo } from './lookup.ts'
import { type MadeTable, madeContent, madeSchema } from './support/made-version.ts'

const columns = ['INPUT site', 'INPUT hist', 'INPUT sex', 'ENDPOINT result']
const TABLES: Readonly<Record<string, MadeTable>> = {
  primary_site: { columns: ['INPUT site'], rows: [['C000'], ['C001'], ['C002']] },
  plain: {
    columns: ['INPUT site', 'INPUT hist', 'ENDPOINT result'],
    rows: [['C000', '8000', 'MATCH']],
  },
  men: { columns, rows: [['C001', '*', '1', 'MATCH']] },
  women: { columns, rows: [['C001', '*', '2,', 'MATCH']] },
  newer: {
    columns: ['INPUT site', 'INPUT year_dx', 'ENDPOINT result'],
    rows: [['C002', '2020-{{ctx_year_current}}', 'MATCH']],
  },
}
const SCHEMAS = ['women', 'men', 'plain', 'newer'].map((id) =>
  madeSchema({ id, schema_selection_table: id }),
)
const VERSION = new CompiledVersion(
  madeContent([...SCHEMAS, madeSchema({ id: 'lost', schema_selection_table: 'gone' })], TABLES),
  { yearNow: () => '2026' },
)

// From rules 15 and 16 of registry.md.
describe('a lookup', () => {
  test.each([
    ['of nothing', {}, []],
    ['without site and histology', { sex: '1' }, []],
    ['of both', { site: 'C000', hist: '8000' }, ['plain']],
    ['of an unknown site', { site: 'C009', hist: '8000' }, []],
    ['of an unknown histology', { site: 'C000', hist: '9999' }, []],
    ['of an expanded histology that no schema has', { site: 'C000', hist: '8002' }, []],
    ['of the site alone', { site: 'C001' }, ['men', 'women']],
    ['of the histology alone', { hist: '8001' }, ['men', 'newer', 'women']],
    ['of a null site beside a histology', { site: null, hist: '8000' }, []],
    ['of a discriminator', { site: 'C001', hist: '8000', sex: '1' }, ['men']],
    ['of a blank discriminator', { site: 'C001', hist: '8000', sex: '' }, ['women']],
    ['of a null discriminator', { site: 'C001', hist: '8000', sex: null }, ['women']],
    ['of a discriminator without a histology', { site: 'C001', sex: '1' }, []],
    ['of a blank discriminator without a histology', { site: 'C001', sex: '' }, ['women']],
    ['of a discriminator with spaces', { site: 'C001', hist: '8000', sex: ' 1' }, []],
    ['with keys of no table', { site: 'C001', hist: '8000', colour: 'red' }, ['men', 'women']],
    ['with a year by now', { site: 'C002', hist: '8000', year_dx: '2026' }, ['newer']],
    ['with a year to come', { site: 'C002', hist: '8000', year_dx: '2027' }, []],
    ['with a key that objects inherit', { site: 'C000', hist: '8000', toString: 'x' }, ['plain']],
  ])('%s finds %j: %j', (_what, input, wanted) => {
    expect(lookupSchemas(VERSION, input)).toEqual(wanted)
    expect(lookupSchemas(VERSION, input)).toEqual(wanted)
  })
})

test('a schema is answered with its discriminators and what it looks at', () => {
  const inputs = [{ key: 'sex', name: 'Sex' }, { key: 'a' }]
  const schema = madeSchema({
    schema_selection_table: 'men',
    name: 'Made',
    title: 'Made up',
    inputs,
    schema_discriminators: ['sex'],
    mappings: [{ id: 'm', tables: [{ id: 't' }] }],
  })
  const t = { columns: ['INPUT a', 'ENDPOINT out'], rows: [['1', 'VALUE:1']] }
  const version = new CompiledVersion(madeContent([schema], { ...TABLES, t }))
  expect(schemaInfo(version, 'made')).toStrictEqual({
    id: 'made',
    name: 'Made',
    title: 'Made up',
    discriminators: [{ key: 'sex', name: 'Sex' }],
    staging_inputs: ['site', 'hist', 'sex', 'a'],
    staging_outputs: ['out'],
  })
  expect(() => schemaInfo(version, 'other')).toThrow(expect.objectContaining({ code: 'not_found' }))
})
