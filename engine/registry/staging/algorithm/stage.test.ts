import { describe, expect, test } from 'vitest'
import { CompiledVersion } from './compiled-version.ts'
import { stage } from './stage.ts'
import {
  type MadeTable,
  madeContent,
  madeSchema,
  madeVersion,
  mappedVersion,
  USUAL_CASE,
} from './support/made-version.ts'

const staged = (version: CompiledVersion, more: Readonly<Record<string, string | null>> = {}) =>
  stage(version, { ...USUAL_CASE, ...more })

describe('before a schema is found (registry.md rule 18)', () => {
  test.each([
    ['no site', { hist: '8000' }, 'FAILED_MISSING_SITE_OR_HISTOLOGY'],
    ['a null histology', { site: 'C000', hist: null }, 'FAILED_MISSING_SITE_OR_HISTOLOGY'],
    ['a blank site', { site: '', hist: '8000' }, 'FAILED_NO_MATCHING_SCHEMA'],
    ['a site of no schema', { site: 'C001', hist: '8000' }, 'FAILED_NO_MATCHING_SCHEMA'],
    ['an unknown site', { site: 'C999', hist: '8000' }, 'FAILED_NO_MATCHING_SCHEMA'],
    ['a site with spaces', { site: ' C000', hist: '8000' }, 'FAILED_NO_MATCHING_SCHEMA'],
  ])('%s gives nothing but a result', (_what, input, result) => {
    expect(stage(madeVersion(), input)).toStrictEqual({
      result,
      input,
      output: {},
      errors: [],
      path: [],
    })
  })

  test('two schemas are too many', () => {
    const schemas = ['one', 'two'].map((id) => madeSchema({ id }))
    const { result } = stage(new CompiledVersion(madeContent(schemas)), USUAL_CASE)
    expect(result).toBe('FAILED_MULITPLE_MATCHING_SCHEMAS')
  })
})

describe('inputs', () => {
  test('keys that the schema does not have end it (registry.md rule 19)', () => {
    const answer = staged(madeVersion(), { b: '1', ctx_year_current: '1900' })
    expect(answer).toMatchObject({ result: 'FAILED_INVALID_INPUT', schema_id: 'made', output: {} })
    expect(answer.errors).toEqual(
      ['b', 'ctx_year_current'].map((key) => ({
        type: 'UNKNOWN_INPUT',
        key,
        message: `Unknown input key supplied: ${key}`,
      })),
    )
  })

  test.each([
    ['2018', 'STAGED'],
    [' 2026 ', 'STAGED'],
    ['2027', 'FAILED_INVALID_YEAR_DX'],
    ['', 'FAILED_INVALID_YEAR_DX'],
    [null, 'FAILED_INVALID_YEAR_DX'],
  ])('the year %j gives %s in 2026 (registry.md rule 20)', (year_dx, result) => {
    expect(staged(madeVersion(), { year_dx }).result).toBe(result)
  })

  test('a schema without a year stages nothing', () => {
    const schema = madeSchema()
    const yearless = { ...schema, inputs: schema.inputs.filter(({ key }) => key !== 'year_dx') }
    const { year_dx: _none, ...input } = USUAL_CASE
    expect(stage(new CompiledVersion(madeContent([yearless])), input)).toMatchObject({
      result: 'FAILED_INVALID_YEAR_DX',
      schema_id: 'made',
    })
  })

  const invalid: Readonly<Record<string, MadeTable>> = {
    codes: { columns: ['INPUT a'], rows: [['1']] },
  }

  test.each([
    ['CONTINUE', true, 'STAGED'],
    ['FAIL', false, 'FAILED_INVALID_INPUT'],
    ['FAIL_WHEN_USED_FOR_STAGING', false, 'STAGED'],
    ['FAIL_WHEN_USED_FOR_STAGING', true, 'FAILED_INVALID_INPUT'],
  ])('under %s, an invalid value used for staging (%s) gives %s', (policy, isUsed, result) => {
    const version = madeVersion(
      {
        on_invalid_input: policy,
        inputs: [{ key: 'a', table: 'codes', used_for_staging: isUsed }],
        outputs: [{ key: 'out', default: 'x' }],
      },
      invalid,
    )
    const answer = staged(version, { a: ' 2 ' })
    expect(answer).toMatchObject({ result, output: result === 'STAGED' ? { out: 'x' } : {} })
    expect(answer.errors).toEqual([
      {
        type: isUsed ? 'INVALID_REQUIRED_INPUT' : 'INVALID_NON_REQUIRED_INPUT',
        table: 'codes',
        key: 'a',
        message: "Invalid 'a' value (2)",
      },
    ])
    expect(answer.input).toEqual({ ...USUAL_CASE, a: ' 2 ' })
  })

  test('a table that is not there is an error and does not end it (registry.md rule 21)', () => {
    const version = madeVersion({ on_invalid_input: 'FAIL', inputs: [{ key: 'a', table: 'gone' }] })
    expect(staged(version, { a: '1' })).toMatchObject({
      result: 'STAGED',
      errors: [{ type: 'UNKNOWN_TABLE', key: 'a', message: 'Input table does not exist: gone' }],
    })
  })

  test('a null takes the default, a blank does not, and defaults are not judged', () => {
    const version = mappedVersion(
      [
        ['7', 'VALUE:default'],
        ['', 'VALUE:blank'],
      ],
      {
        schema: { inputs: [{ key: 'a', table: 'codes', default: '7' }] },
        tables: invalid,
      },
    )
    expect(staged(version, { a: null })).toMatchObject({ output: { out: 'default' }, errors: [] })
    expect(staged(version, { a: ' ' })).toMatchObject({ output: { out: 'blank' }, errors: [] })
  })
})

describe('outputs (registry.md rule 29)', () => {
  test('without outputs all is shown but inputs and context variables', () => {
    const columns = ['ENDPOINT a', 'ENDPOINT free', 'ENDPOINT ctx_year_current']
    const version = mappedVersion([], {
      schema: { outputs: undefined },
      tables: { t: { columns, rows: [['VALUE:1', 'VALUE:2', 'VALUE:3']] } },
    })
    expect(staged(version).output).toEqual({ free: '2' })
  })

  test('an output that is also an input is shown', () => {
    const outputs = [{ key: 'a', default: '{{a}}' }]
    expect(
      staged(mappedVersion([['*', 'MATCH']], { schema: { outputs } }), { a: '5' }).output,
    ).toEqual({
      a: '5',
    })
  })

  test('outputs are judged when only outputs are left', () => {
    const version = madeVersion(
      {
        inputs: [{ key: 'a' }],
        outputs: [
          { key: 'out', table: 'seen' },
          { key: 'lost', table: 'gone' },
        ],
      },
      {
        seen: {
          columns: ['INPUT out', 'INPUT a'],
          rows: [
            ['x', '*'],
            ['', '1'],
          ],
        },
      },
    )
    expect(staged(version, { a: '1' }).errors).toEqual([
      {
        type: 'INVALID_OUTPUT',
        table: 'seen',
        key: 'out',
        message: "Invalid 'out' value (<blank>)",
      },
      { type: 'UNKNOWN_TABLE', key: 'lost', message: 'Output table does not exist: gone' },
    ])
  })
})

test('an explanation lists each table that was looked at, and changes nothing else', () => {
  const version = mappedVersion([
    ['1-3', 'VALUE:low'],
    ['4-6', 'VALUE:high'],
  ])
  const input = { ...USUAL_CASE, a: '5' }
  const { explain = [], ...answer } = stage(version, input, { explain: true })
  expect(answer).toStrictEqual(stage(version, input))
  expect(explain.map(({ table, purpose, row }) => [table, purpose, row])).toEqual([
    ['selection', 'selection', 0],
    ['year', 'year', 0],
    ['primary_site', 'input', 0],
    ['histology', 'input', 0],
    ['year', 'input', 0],
    ['t', 'path', 1],
  ])
  expect(explain.at(-1)).toStrictEqual({
    table: 't',
    purpose: 'path',
    mapping: 'm',
    row: 1,
    inputs: [{ key: 'a', value: '5', cell: '4-6' }],
    endpoints: [{ key: 'out', cell: 'VALUE:high' }],
  })
})

test('an explanation lists jumps, outputs and looks that found nothing', () => {
  const version = mappedVersion([['*', 'JUMP:u']], {
    schema: { outputs: [{ key: 'out', table: 'codes' }] },
    tables: {
      u: { columns: ['INPUT a', 'ENDPOINT out'], rows: [] },
      codes: { columns: ['INPUT out'], rows: [[''], ['1']] },
    },
  })
  const { explain = [] } = stage(version, { ...USUAL_CASE, a: '5' }, { explain: true })
  expect(explain.slice(-3)).toMatchObject([
    { table: 't', purpose: 'path', mapping: 'm', row: 0 },
    { table: 'u', purpose: 'jump', mapping: 'm', inputs: [{ key: 'a', value: '5' }] },
    { table: 'codes', purpose: 'output', key: 'out', row: 0, inputs: [{ key: 'out', cell: '' }] },
  ])
  expect(explain.at(-2)).not.toHaveProperty('row')
  expect(explain.at(-1)).not.toHaveProperty('mapping')
})
