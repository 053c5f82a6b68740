import { expect, test } from 'vitest'
import { Derivation } from './derive.ts'
import { madeContent, madeSchema } from './support/made-version.ts'

const TABLES = {
  t: {
    columns: ['INPUT a', 'INPUT x', 'ENDPOINT r', 'ENDPOINT s'],
    rows: [
      ['1', '*', 'VALUE:{{extra}}', 'JUMP:u'],
      ['2-{{ctx_year_current}}', '{{low}}-9', 'ERROR:{{text}}', 'JUMP:gone'],
    ],
  },
  u: { columns: ['INPUT r', 'INPUT b', 'ENDPOINT q'], rows: [['*', '*', 'JUMP:t']] },
  decides: { columns: ['INPUT c'], rows: [['1']] },
}
const PATH = {
  id: 't',
  input_mapping: [{ from: 'source', to: 'x' }],
  output_mapping: [
    { from: 'q', to: 'q1' },
    { from: 'q', to: 'q2' },
  ],
}
const SCHEMA = madeSchema({
  involved_tables: ['posted'],
  outputs: [{ key: 'out', table: 'decides' }],
  mappings: [
    {
      id: 'm',
      initial_context: [{ key: 'b' }],
      inclusion_tables: [{ id: 'decides', outputs: ['posted'] }],
      tables: [PATH],
    },
  ],
})
const { tables } = madeContent([SCHEMA], TABLES)
const derivation = new Derivation(tables)

test('a path asks for what its tables do not make before (registry.md rule 36)', () => {
  expect(derivation.pathInputs(PATH)).toEqual(['a', 'source', 'low', 'extra', 'b'])
  expect(derivation.pathOutputs(PATH)).toEqual(['r', 's', 'q1', 'q2'])
})

test('a schema asks for its selection and its mappings, and not for what these put', () => {
  const asked = ['site', 'hist', 'c', 'a', 'source', 'low', 'extra']
  expect(derivation.stagingInputs(SCHEMA)).toEqual(asked)
})

test('a schema gives its outputs or, without any, those of its paths', () => {
  expect(derivation.stagingOutputs(SCHEMA)).toEqual(['out'])
  const { outputs: _none, ...open } = SCHEMA
  expect(derivation.stagingOutputs(open)).toEqual(['r', 's', 'q1', 'q2'])
})

test('derived members are made again, whatever was posted', () => {
  const { involved_tables, mappings } = derivation.completeSchema(SCHEMA)
  const involved = ['primary_site', 'histology', 'year', 'decides', 't', 'u', 'selection']
  expect(involved_tables).toEqual(involved)
  expect(mappings?.[0]?.inclusion_tables).toEqual([{ id: 'decides', inputs: ['c'] }])
  expect(mappings?.[0]?.tables?.[0]).toEqual({
    ...PATH,
    inputs: ['a', 'source', 'low', 'extra', 'b'],
    outputs: ['r', 's', 'q1', 'q2'],
  })
  const [t, u] = ['t', 'u'].map((id) => tables.get(id)!)
  expect(derivation.completeTable(t!).extra_input).toEqual(['low', 'extra'])
  expect(derivation.completeTable({ ...u!, extra_input: ['posted'] })).toStrictEqual(u)
})
