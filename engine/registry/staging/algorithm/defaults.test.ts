import { expect, test } from 'vitest'
import { addDefaults } from './defaults.ts'
import { stage } from './stage.ts'
import { madeVersion, USUAL_CASE } from './support/made-version.ts'

const VERSION = madeVersion(
  {
    inputs: [
      { key: 'a', default: '1' },
      { key: 'b', default: '{{a}}' },
      { key: 'c', default_table: 'defaults' },
      { key: 'd', default_table: 'gone' },
      { key: 'e' },
      { key: 'v', default: '{{ctx_alg_version}}' },
    ],
  },
  {
    defaults: {
      columns: ['INPUT b', 'ENDPOINT x', 'ENDPOINT c', 'ENDPOINT c2'],
      rows: [
        ['1', 'VALUE:wrong', 'VALUE:from {{a}}', 'MATCH'],
        ['2', 'MATCH', 'VALUE:{{site}}', 'MATCH'],
        ['3', 'VALUE:wrong', 'MATCH', 'MATCH'],
        ['4', 'MATCH', 'VALUE', 'MATCH'],
      ],
    },
  },
)

// From rules 24 and 31 of registry.md.
test.each([
  [{}, { a: '1', b: '1', c: 'from {{a}}', v: '1.0' }],
  [
    { b: '2', site: 'C000' },
    { a: '1', c: 'C000', v: '1.0' },
  ],
  [{ b: '3' }, { a: '1', v: '1.0' }],
  [{ b: '4' }, { a: '1', c: '', v: '1.0' }],
  [
    { b: '9', c: null },
    { a: '1', v: '1.0' },
  ],
  [
    { a: '', b: null },
    { b: '', v: '1.0' },
  ],
  [
    { a: '7', unknown: 'stays' },
    { b: '7', v: '1.0' },
  ],
])('%j is completed by %j', (input, added) => {
  expect(addDefaults(VERSION, 'made', input)).toStrictEqual({ ...input, ...added })
})

test('staging reports why a default table gave nothing, and goes on with a blank', () => {
  const { result, errors } = stage(VERSION, { ...USUAL_CASE, b: '3' })
  expect(result).toBe('STAGED')
  expect(errors).toEqual([
    { type: 'MATCH_NOT_FOUND', key: 'c', message: 'Default table defaults did not find a match' },
    { type: 'UNKNOWN_TABLE', key: 'd', message: 'Default table does not exist: gone' },
  ])
})

test('a schema that is not there has no defaults', () => {
  expect(() => addDefaults(VERSION, 'other', {})).toThrow(
    expect.objectContaining({ code: 'bad_input' }),
  )
})
