import { describe, expect, test } from 'vitest'
import type { CompiledVersion } from './compiled-version.ts'
import { DEEPEST_JUMP } from './evaluation.ts'
import { stage } from './stage.ts'
import { type MadeTable, madeVersion, mappedVersion, USUAL_CASE } from './support/made-version.ts'

const staged = (version: CompiledVersion, more: Readonly<Record<string, string | null>> = {}) =>
  stage(version, { ...USUAL_CASE, ...more })

describe('endpoints', () => {
  test('a value that is a key gives what the key holds, a key that is not there a blank', () => {
    const rows = [
      ['1', 'VALUE:{{a}}'],
      ['2', 'VALUE:{{none}}'],
      ['3', 'VALUE:x{{a}}'],
    ]
    const version = mappedVersion(rows)
    expect(['1', '2', '3'].map((a) => staged(version, { a }).output)).toEqual([
      { out: '1' },
      { out: '' },
      { out: 'x{{a}}' },
    ])
  })

  test('VALUE without a value removes the key, VALUE: blanks it', () => {
    const version = mappedVersion(
      [
        ['1', 'VALUE'],
        ['2', 'VALUE:'],
        ['3', 'MATCH'],
      ],
      {
        schema: { outputs: [{ key: 'out', default: 'x' }] },
      },
    )
    expect(['1', '2', '3'].map((a) => staged(version, { a }).output)).toEqual([
      {},
      { out: '' },
      { out: 'x' },
    ])
  })

  test('an ERROR without a text names the inputs, blanks by their name (registry.md rules 12 and 14)', () => {
    const columns = ['INPUT a', 'INPUT b', 'ENDPOINT out']
    const rows = [['*', '*', 'ERROR:']]
    const version = mappedVersion([], { tables: { t: { columns, rows } } })
    expect(staged(version, { a: '1' }).errors).toEqual([
      {
        type: 'STAGING_ERROR',
        table: 't',
        columns: ['out'],
        message: "Matching resulted in an error in table 't' for column 'out' (1,<blank>)",
      },
    ])
  })

  test('a STOP ends its own mapping, with the rest of its row done', () => {
    const version = madeVersion(
      {
        outputs: [{ key: 'x' }, { key: 'y' }, { key: 'z' }],
        mappings: [
          { id: 'm', tables: [{ id: 'stop' }, { id: 'after' }] },
          { id: 'n', tables: [{ id: 'other' }] },
        ],
      },
      {
        stop: {
          columns: ['INPUT site', 'ENDPOINT s', 'ENDPOINT x'],
          rows: [['*', 'STOP', 'VALUE:1']],
        },
        after: { columns: ['INPUT site', 'ENDPOINT y'], rows: [['*', 'VALUE:1']] },
        other: { columns: ['INPUT site', 'ENDPOINT z'], rows: [['*', 'VALUE:1']] },
      },
    )
    expect(staged(version)).toMatchObject({
      output: { x: '1', y: '', z: '1' },
      path: ['m.stop', 'n.other'],
    })
  })

  test.each([
    ['JUMP:stops', 'MATCH', ['m.t', 'm.stops']],
    ['STOP', 'JUMP:goes', ['m.t', 'm.goes', 'm.last']],
    ['JUMP:stops', 'JUMP:goes', ['m.t', 'm.stops', 'm.goes', 'm.last']],
  ])('of %s and %s the last jump decides whether the mapping goes on', (first, second, path) => {
    const version = mappedVersion([], {
      mapping: { tables: [{ id: 't' }, { id: 'last' }] },
      tables: {
        t: { columns: ['ENDPOINT x', 'ENDPOINT y'], rows: [[first, second]] },
        stops: { columns: ['ENDPOINT x'], rows: [['STOP']] },
        goes: { columns: ['ENDPOINT x'], rows: [['MATCH']] },
        last: { columns: ['ENDPOINT x'], rows: [['MATCH']] },
      },
    })
    expect(staged(version).path).toEqual(path)
  })
})

describe('mappings', () => {
  test('renamed keys are gone afterwards, even one that was there before (registry.md rule 27)', () => {
    const rows = [
      ['1', 'VALUE:one'],
      ['', 'VALUE:blank'],
    ]
    const version = mappedVersion(rows, {
      schema: { inputs: [{ key: 'a' }, { key: 'b' }] },
      mapping: {
        tables: [
          { id: 't', input_mapping: [{ from: 'b', to: 'a' }] },
          { id: 't', output_mapping: [{ from: 'out', to: 'second' }] },
        ],
      },
    })
    const { output, errors } = staged(version, { a: '9', b: '1' })
    expect({ output, errors }).toEqual({ output: { out: 'one' }, errors: [] })
  })

  test('a value goes to every key that its column is renamed to, in jumps too (registry.md rule 11)', () => {
    const version = mappedVersion([['*', 'JUMP:u']], {
      schema: { outputs: [{ key: 'p' }, { key: 'q' }, { key: 'out' }] },
      path: {
        output_mapping: [
          { from: 'out', to: 'p' },
          { from: 'out', to: 'q' },
        ],
      },
      tables: { u: { columns: ['ENDPOINT out'], rows: [['VALUE:7']] } },
    })
    expect(staged(version).output).toEqual({ p: '7', q: '7', out: '' })
  })

  test('a key that is not there cannot be renamed, one without a value can', () => {
    const mapping = {
      initial_context: [{ key: 'empty' }],
      tables: [
        {
          id: 't',
          input_mapping: [
            { from: 'none', to: 'a' },
            { from: 'empty', to: 'b' },
          ],
        },
      ],
    }
    const answer = staged(mappedVersion([['*', 'VALUE:x']], { mapping }))
    expect(answer.output).toEqual({ out: 'x' })
    expect(answer.errors).toEqual([
      {
        type: 'UNKNOWN_INPUT_MAPPING',
        table: 't',
        key: 'none',
        message: "Input mapping 'none' does not exist for table 't'",
      },
    ])
  })

  test('an initial value is put as it is; without one the output is left out', () => {
    const mapping = { initial_context: [{ key: 'out', value: '{{a}}' }], tables: [] }
    expect(staged(mappedVersion([], { mapping })).output).toEqual({ out: '{{a}}' })
    const unset = { initial_context: [{ key: 'out' }], tables: [] }
    expect(staged(mappedVersion([], { mapping: unset })).output).toEqual({})
  })

  test('tables that decide are asked with their renamed keys, and nothing of that stays', () => {
    const decides: MadeTable = { columns: ['INPUT x'], rows: [['1']] }
    const input_mapping = [
      { from: 'a', to: 'x' },
      { from: 'none', to: 'x' },
    ]
    const version = mappedVersion([['*', 'VALUE:{{x}}']], {
      schema: { initial_context: [{ key: 'x', value: 'stays' }] },
      mapping: { inclusion_tables: [{ id: 'decides', input_mapping }] },
      tables: { decides },
    })
    expect(staged(version, { a: '1' })).toMatchObject({
      output: { out: 'stays' },
      path: ['m.decides', 'm.t'],
    })
    expect(staged(version, { a: '2' })).toMatchObject({ output: { out: '' }, path: [] })
  })

  test.each(['inclusion_tables', 'exclusion_tables'])(
    'a mapping with %s that are not there is left out with an error',
    (name) => {
      const answer = staged(
        mappedVersion([['*', 'VALUE:x']], { mapping: { [name]: [{ id: 'gone' }] } }),
      )
      expect(answer).toMatchObject({ result: 'STAGED', output: { out: '' }, path: [] })
      expect(answer.errors).toEqual([
        {
          type: 'UNKNOWN_TABLE',
          table: 'gone',
          message: "The processing of 'gone' contains a reference to an unknown table: 'gone'",
        },
      ])
    },
  )

  test('a mapping without an id gives bare names of tables', () => {
    expect(staged(mappedVersion([['*', 'MATCH']], { mapping: { id: undefined } })).path).toEqual([
      't',
    ])
  })

  test('a jump to a table that is not there is an error, and the rest goes on', () => {
    const answer = staged(
      mappedVersion([], {
        tables: {
          t: { columns: ['ENDPOINT x', 'ENDPOINT out'], rows: [['JUMP:gone', 'VALUE:1']] },
        },
      }),
    )
    expect(answer).toMatchObject({ output: { out: '1' }, path: ['m.t'] })
    expect(answer.errors).toEqual([
      {
        type: 'UNKNOWN_TABLE',
        table: 'gone',
        message: "The processing of 't' contains a reference to an unknown table: 'gone'",
      },
    ])
  })

  test('jumps in a circle end where they began; the same table may be jumped to again', () => {
    const version = mappedVersion([], {
      tables: {
        t: { columns: ['ENDPOINT x', 'ENDPOINT y'], rows: [['JUMP:u', 'JUMP:u']] },
        u: { columns: ['ENDPOINT x'], rows: [['JUMP:t']] },
      },
    })
    const answer = staged(version)
    expect(answer.path).toEqual(['m.t', 'm.u', 'm.u'])
    expect(answer.errors.map(({ type, table }) => [type, table])).toEqual([
      ['INFINITE_LOOP', 't'],
      ['INFINITE_LOOP', 't'],
    ])
    expect(staged(version)).toEqual(answer)
  })

  test('tables that double their jumps at each step are given up on', () => {
    const doubling = Array.from({ length: 20 }, (_, i): [string, MadeTable] => [
      i === 0 ? 't' : `t${i}`,
      { columns: ['ENDPOINT x', 'ENDPOINT y'], rows: [[`JUMP:t${i + 1}`, `JUMP:t${i + 1}`]] },
    ])
    const version = mappedVersion([], { tables: Object.fromEntries(doubling) })
    expect(() => staged(version)).toThrow(expect.objectContaining({ code: 'too_many' }))
    expect(() => staged(version)).toThrow(expect.objectContaining({ code: 'too_many' }))
  })

  test('the deepest jumps that are let through are no trouble, deeper ones are refused', () => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, i): [string, MadeTable] => [
          i === 0 ? 't' : `t${i}`,
          { columns: ['ENDPOINT x'], rows: [[i === length - 1 ? 'MATCH' : `JUMP:t${i + 1}`]] },
        ]),
      )
    const deepest = DEEPEST_JUMP + 1
    expect(staged(mappedVersion([], { tables: chain(deepest) })).path).toHaveLength(deepest)
    expect(() => staged(mappedVersion([], { tables: chain(deepest + 1) }))).toThrow(
      expect.objectContaining({ code: 'too_many' }),
    )
  })
})
