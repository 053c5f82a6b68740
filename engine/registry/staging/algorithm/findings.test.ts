import { expect, test } from 'vitest'
import { atOnce } from '../../../shared/concurrency/at-once.ts'
import { findings, tableUses } from './findings.ts'
import { madeContent, madeSchema } from './support/made-version.ts'

const SOUND = madeSchema({
  inputs: [{ key: 'a' }],
  mappings: [{ id: 'm', tables: [{ id: 't' }] }],
})
const t = { columns: ['INPUT a', 'ENDPOINT r'], rows: [['1', 'JUMP:u']] }
const u = { columns: ['ENDPOINT r'], rows: [['VALUE:1']] }

test('a version whose references lead somewhere has no findings', () => {
  expect(atOnce(findings(madeContent([SOUND], { t, u })))).toEqual([])
})

test('every reference of a schema that leads nowhere is found', () => {
  const schema = madeSchema({
    schema_selection_table: 'no_selection',
    inputs: [
      { key: 'a', table: 'no_input' },
      { key: 'b', default_table: 'no_default' },
      { key: 'c', table: 'year' },
    ],
    outputs: [{ key: 'o' }, { key: 'p', table: 'no_output' }],
    mappings: [
      {
        id: 'm',
        inclusion_tables: [{ id: 'no_inclusion' }],
        exclusion_tables: [{ id: 'no_exclusion' }],
        tables: [{ id: 'asks' }, { id: 'no_path' }],
      },
    ],
  })
  const asks = { columns: ['INPUT unknown', 'ENDPOINT r'], rows: [] }
  const found = atOnce(findings(madeContent([schema], { asks })))
  expect(found.map(({ kind, id, at, message }) => [kind, id, at, message])).toEqual(
    [
      ['schema_selection_table', 'table "no_selection" is not there'],
      ['inputs[3].table', 'table "no_input" is not there'],
      ['inputs[4].default_table', 'table "no_default" is not there'],
      ['outputs[1].table', 'table "no_output" is not there'],
      ['mappings[0].inclusion_tables[0].id', 'table "no_inclusion" is not there'],
      ['mappings[0].exclusion_tables[0].id', 'table "no_exclusion" is not there'],
      ['mappings[0].tables[1].id', 'table "no_path" is not there'],
      ['inputs[5].table', 'table "year" has no INPUT column "c"'],
      ['inputs', 'staging asks for "unknown", which is no input'],
    ].map(([at, message]) => ['schema', 'made', at, message]),
  )
})

test('ranges that nothing matches are found, with table and row', () => {
  const cells = [
    ...['C500-C509', 'C509-C500', 'C500-C50', 'C260-C269,C809-C800', 'C590-C599', 'C500-C505-C509'],
    ...['*', 'C619'],
  ]
  const rows = cells.map((cell) => [cell, '5-10', 'MATCH'])
  const numbers = ['10-5', '1.5-0.5', '5-10', '{{a}}-3', 'N0(i-)', 'T1-T2', 'T2-T1', ''].map(
    (cell) => ['*', cell, 'MATCH'],
  )
  const columns = ['INPUT site', 'INPUT a', 'ENDPOINT r']
  const sites = ['C260', 'C500', 'C501', 'C505', 'C509', 'C619', 'C800']
  const content = madeContent([SOUND], {
    t,
    u,
    s: { columns, rows: [...rows, ...numbers] },
    primary_site: {
      columns: ['INPUT site', 'ENDPOINT result'],
      rows: sites.map((code) => [code, 'MATCH']),
    },
  })
  const found = atOnce(findings(content)).filter(({ id }) => id === 's')
  const why = found.map(
    ({ at, message }) => `${at} ${message.replace(/^column "(.*?)" has the range /, '$1 ')}`,
  )
  const nothing = (part: string) => `"${part}", which nothing matches:`
  expect(why).toEqual([
    `rows[1] site ${nothing('C509-C500')} its low end is above its high one`,
    `rows[2] site ${nothing('C500-C50')} its ends are not of the same length`,
    `rows[3] site ${nothing('C809-C800')} its low end is above its high one`,
    `rows[4] site ${nothing('C590-C599')} table "primary_site" has no code in it`,
    `rows[5] site ${nothing('C500-C505-C509')} it has more than two ends; give two, or several ranges with commas`,
    `rows[8] a ${nothing('10-5')} its low end is above its high one`,
    `rows[9] a ${nothing('1.5-0.5')} its low end is above its high one`,
    `rows[14] a ${nothing('T2-T1')} its low end is above its high one`,
  ])
})

test('jumps that lead nowhere or in a circle are found, and tables that all need', () => {
  const content = madeContent([], {
    a: { columns: ['ENDPOINT r'], rows: [['JUMP:b'], ['JUMP:gone']] },
    b: { columns: ['ENDPOINT r'], rows: [['JUMP:a']] },
    outside: { columns: ['ENDPOINT r'], rows: [['JUMP:a']] },
  })
  const tables = new Map(content.tables)
  tables.delete('histology')
  expect(atOnce(findings({ ...content, tables }))).toEqual([
    {
      kind: 'table',
      id: 'histology',
      message: 'every algorithm has this table, but it is not there',
    },
    { kind: 'table', id: 'a', message: 'a row jumps to table "gone", which is not there' },
    { kind: 'table', id: 'a', message: 'its jumps lead back to it' },
    { kind: 'table', id: 'b', message: 'its jumps lead back to it' },
  ])
})

test('a schema uses a table that it names or that its tables jump to', () => {
  const other = madeSchema({ id: 'another' })
  const uses = atOnce(tableUses(madeContent([SOUND, other], { t, u, unused: u })))
  expect(uses.get('u')).toEqual(['made'])
  expect(uses.get('histology')).toEqual(['another', 'made'])
  expect(uses.get('unused')).toBeUndefined()
})

test('a schema uses a table that it names though it is not there', () => {
  expect(atOnce(tableUses(madeContent([SOUND]))).get('t')).toEqual(['made'])
})
