import { expect, test } from 'vitest'
import { caseDifference } from './case-difference.ts'
import { CompiledVersion } from './compiled-version.ts'
import type { InputMap } from './result.ts'
import { madeContent, madeSchema, USUAL_CASE } from './support/made-version.ts'

const schema = madeSchema({
  inputs: [{ key: 'a' }],
  outputs: [{ key: 'out' }, { key: 'made_by' }],
  mappings: [{ id: 'm', tables: [{ id: 't' }] }],
})

/** Returns a version whose rows derive `out` from `a`. */
const versionOf = (name: string, rows: readonly (readonly string[])[]) => {
  const columns = ['INPUT a', 'ENDPOINT out', 'ENDPOINT made_by']
  const named = rows.map((cells) => [...cells, `VALUE:${name}`])
  return new CompiledVersion(madeContent([schema], { t: { columns, rows: named } }))
}

const before = versionOf('old', [
  ['1', 'VALUE:one'],
  ['2', 'VALUE:two'],
])
const after = versionOf('new', [
  ['2', 'VALUE:zwei'],
  ['1', 'VALUE:one'],
])

const difference = (input: InputMap, ...ignored: readonly string[]) =>
  caseDifference(before, after, { ...USUAL_CASE, ...input }, new Set(ignored))

test('a case that both stage alike has not changed, wherever its row is', () => {
  expect(difference({ a: '1' }, 'made_by')).toEqual({ changed: false })
  expect(difference({ a: '3' }, 'made_by')).toEqual({ changed: false })
  expect(difference({ hist: '9999' })).toEqual({ changed: false })
})

test('a case that changes is reported with the rows that decided', () => {
  const told = difference({ a: '2' }, 'made_by')
  const look = {
    table: 't',
    purpose: 'path',
    mapping: 'm',
    inputs: [{ key: 'a', value: '2', cell: '2' }],
  }
  const cells = (out: string, made_by: string) => [
    { key: 'out', cell: `VALUE:${out}` },
    { key: 'made_by', cell: `VALUE:${made_by}` },
  ]
  expect(told).toEqual({
    changed: true,
    changes: [{ at: 'output.out', change: 'changed', before: 'two', after: 'zwei' }],
    why: {
      before: [{ ...look, row: 1, endpoints: cells('two', 'old') }],
      after: [{ ...look, row: 0, endpoints: cells('zwei', 'new') }],
    },
  })
})

test('an output that is not ignored counts', () => {
  expect(difference({ a: '1' })).toMatchObject({
    changes: [{ at: 'output.made_by', before: 'old', after: 'new' }],
  })
})

test('a case that only one of them stages is reported', () => {
  const narrow = new CompiledVersion(madeContent([]))
  expect(caseDifference(narrow, after, { ...USUAL_CASE, a: '1' }, new Set())).toMatchObject({
    changed: true,
    changes: [
      { at: 'result', before: 'FAILED_NO_MATCHING_SCHEMA', after: 'STAGED' },
      { at: 'schema_id', change: 'added', after: 'made' },
      { at: 'output.out', change: 'added', after: 'one' },
      { at: 'output.made_by', change: 'added', after: 'new' },
    ],
    why: { before: [], after: expect.arrayContaining([expect.objectContaining({ table: 't' })]) },
  })
})
