import { describe, expect, test } from 'vitest'
import { EngineError } from '../../shared/errors.ts'
import { DATASETS } from '../datasets/index.ts'
import { FILTER_LIMITS } from './filter-budget.ts'
import type { Filter, Leaf } from './filter-tree.ts'
import { parseFilter } from './support/parse-filter.ts'

const { files, cases } = DATASETS

const leaf = (value: unknown, dataset = files) => parseFilter(dataset, value) as Leaf

const on = (field: string, op: string, ...value: readonly unknown[]) => ({
  op,
  content: { field, ...(value.length > 0 && { value: value[0] }) },
})

/** Returns the error of an invalid filter. */
function failure(value: unknown, dataset = files): { at: string | undefined; message: string } {
  try {
    parseFilter(dataset, value)
  } catch (error) {
    if (!(error instanceof EngineError) || !/^(bad_input|too_many)$/.test(error.code)) throw error
    return { at: error.at, message: error.message }
  }
  throw new Error(`accepted: ${JSON.stringify(value)?.slice(0, 200)}`)
}

describe('accepted filters', () => {
  test.each([[undefined], [null], [''], ['  '], [{}], ['{}'], ['null']])(
    '%j is no condition',
    (value) => {
      expect(parseFilter(files, value)).toBeUndefined()
    },
  )

  test('a filter may be given as its JSON text', () => {
    const given = on('access', '=', 'open')
    expect(parseFilter(files, JSON.stringify(given))).toEqual(parseFilter(files, given))
  })

  test.each([
    ['=', 'in'],
    ['in', 'in'],
    ['IN', 'in'],
    ['!=', 'exclude'],
    ['Exclude', 'exclude'],
    ['excludeIfAny', 'excludeifany'],
    ['<', '<'],
    ['<=', '<='],
    ['>', '>'],
    ['>=', '>='],
  ])('the operator %s means %s', (op, meant) => {
    expect(leaf(on('file_size', op, 5)).op).toBe(meant)
  })

  test.each([
    [[], 'missing'],
    [['MISSING'], 'missing'],
    [['missing'], 'missing'],
    [[['Missing']], 'missing'],
    [[null], 'missing'],
  ])('"is" with %j selects missing values', (value, op) => {
    expect(leaf(on('platform', 'is', ...value))).toMatchObject({ op, values: [] })
  })

  test('"not" without a value or with MISSING selects present values, and excludes any other value', () => {
    expect(leaf(on('platform', 'not')).op).toBe('present')
    expect(leaf(on('platform', 'NOT', 'missing')).op).toBe('present')
    expect(leaf(on('platform', 'not', []))).toMatchObject({ op: 'present', values: [] })
    const excluding = leaf(on('platform', 'NOT', ['Illumina', 'x']))
    expect(excluding).toMatchObject({ op: 'exclude', values: ['illumina', 'x'] })
  })

  test('keywords are folded, exact values are not, and duplicates are removed', () => {
    expect(leaf(on('access', 'in', ['Open', 'open', 'OPEN'])).values).toEqual(['open'])
    expect(leaf(on('data_type', 'in', ['Raw', 'raw'])).values).toEqual(['Raw', 'raw'])
  })

  test('numbers and booleans are texts to a keyword', () => {
    expect(leaf(on('access', 'in', [2010, true])).values).toEqual(['2010', 'true'])
  })

  test('numeric texts are numbers to a number field', () => {
    expect(leaf(on('file_size', 'in', [20, '20', ' 2e1 ', '-0.5'])).values).toEqual([20, -0.5])
    expect(leaf(on('file_size', '>=', ['7', 'ignored'])).values).toEqual([7])
  })

  test('an empty list is a list that nothing is in', () => {
    expect(leaf(on('access', 'in', [])).values).toEqual([])
  })

  test('the own prefix is stripped and names of the real service are known', () => {
    expect(leaf(on('files.access', '=', 'open')).field.path).toBe('access')
    const path = 'cases.project.dbgap_accession_number'
    expect(leaf(on(path, '=', 'x'), cases).field.path).toBe('project.registry_accession_number')
  })

  test('ranges are from inclusive to exclusive, alone or in a list', () => {
    const content = { field: 'file_size', ranges: [{ from: '5', to: 9 }, { from: 20 }] }
    const ranges = [{ from: 5, to: 9 }, { from: 20 }]
    expect(leaf({ op: 'range', content })).toMatchObject({ op: 'range', ranges })
    expect(leaf({ op: 'range', content: [content, content] }).ranges).toEqual([
      ...ranges,
      ...ranges,
    ])
  })

  test('a parsed filter is frozen, and each condition has its place', () => {
    const filter = parseFilter(files, {
      op: 'AND',
      content: [on('access', '=', 'open'), { op: 'or', content: [on('acl', 'in', ['a', 'b'])] }],
    }) as Exclude<Filter, Leaf>
    expect(filter.parts[1]).toMatchObject({
      kind: 'or',
      parts: [{ at: 'filters.content[1].content[0]', values: ['a', 'b'] }],
    })
    const frozen = (value: unknown): boolean => Object.isFrozen(value)
    expect([filter, filter.parts, ...filter.parts].every(frozen)).toBe(true)
    expect(frozen((filter.parts[0] as Leaf).values)).toBe(true)
  })

  test('as many values and as much text as the limits are accepted', () => {
    const many = Array.from({ length: 65_536 }, (_, i) => `x${i}`)
    expect(leaf(on('access', 'in', many)).values).toHaveLength(65_536)
    const long = Array.from({ length: 4 }, (_, i) => String(i).repeat(1 << 20))
    expect(leaf(on('access', 'in', long)).values).toHaveLength(4)
  })
})

describe('refused filters', () => {
  const and = (...content: unknown[]) => ({ op: 'and', content })

  test.each([
    ['no JSON', '{"op":', 'filters'],
    ['a list', [], 'filters'],
    ['a text in JSON', '"x"', 'filters'],
    ['a number', 7, 'filters'],
    ['no operator', { content: [] }, 'filters.op'],
    ['an operator that is no text', { op: 3, content: [] }, 'filters.op'],
    [
      'an unknown operator',
      and(on('access', '=', 'x'), on('access', '~', 'x')),
      'filters.content[1].op',
    ],
    ['a name of every object', on('access', 'constructor', 'x'), 'filters.op'],
    ['an object in and', { op: 'and', content: on('access', '=', 'x') }, 'filters.content'],
    ['an empty operand', and({}), 'filters.content[0].op'],
    ['null for an operand', and(null), 'filters.content[0]'],
    [
      'a list for a leaf',
      { op: '=', content: [{ field: 'access', value: 'x' }] },
      'filters.content',
    ],
    ['no content', { op: '=' }, 'filters.content'],
    ['no field', { op: '=', content: { value: 'x' } }, 'filters.content.field'],
    [
      'an inherited field',
      { op: '=', content: JSON.parse('{"__proto__":{"field":"access"}}') },
      'filters.content.field',
    ],
    ['a list of fields', { op: '=', content: { field: ['access'] } }, 'filters.content.field'],
    ['an unknown field', and(on('acces', '=', 'x')), 'filters.content[0].content.field'],
    ['a group', on('analysis', '=', 'x'), 'filters.content.field'],
    ['a name of every object as field', on('__proto__', '=', 'x'), 'filters.content.field'],
    ['no value', on('access', '='), 'filters.content.value'],
    ['null', on('access', 'in', null), 'filters.content.value'],
    ['null in a list', on('access', 'in', ['x', null]), 'filters.content.value[1]'],
    ['a list in a list', on('access', 'in', [['x']]), 'filters.content.value[0]'],
    ['an object as value', on('access', '=', {}), 'filters.content.value'],
    ['text against a number', on('file_size', 'in', [1, 'many']), 'filters.content.value[1]'],
    ['empty text against a number', on('file_size', '=', ''), 'filters.content.value'],
    ['a boolean against a number', on('file_size', '>', true), 'filters.content.value'],
    ['a comparison with nothing', on('file_size', '>', []), 'filters.content.value'],
    [
      'a number beyond all',
      JSON.parse('{"op":"=","content":{"field":"file_size","value":1e999}}'),
      'filters.content.value',
    ],
    ['"is" with a value', on('access', 'is', 'open'), 'filters.content.value'],
    ['no ranges', { op: 'range', content: { field: 'file_size' } }, 'filters.content.ranges'],
    [
      'an empty range',
      { op: 'range', content: { field: 'file_size', ranges: [{}] } },
      'filters.content.ranges[0]',
    ],
    [
      'ranges of two fields',
      {
        op: 'range',
        content: [
          { field: 'file_size', ranges: [{ from: 1 }] },
          { field: 'access', ranges: [{ from: 'a' }] },
        ],
      },
      'filters.content[1].field',
    ],
  ])('%s', (_, value, at) => {
    expect(failure(value).at).toBe(at)
  })

  test('the message names the unknown field and operator, cut', () => {
    expect(failure(on('no.such', '=', 'x')).message).toBe(
      'files has no field "no.such" to filter by',
    )
    expect(failure(on('access', 'like', 'x')).message).toContain('"like"')
    expect(failure(on('y'.repeat(1e6), '=', 'x')).message.length).toBeLessThan(200)
    expect(failure(on('access', 'z'.repeat(1e6), 'x')).message.length).toBeLessThan(300)
  })

  test('values are not repeated in messages', () => {
    expect(failure(on('file_size', '=', 'secret')).message).not.toContain('secret')
  })

  test('the place is named as the caller calls it', () => {
    expect(() => parseFilter(files, 7, 'case_filters')).toThrow(/^case_filters must be/)
  })

  test('nesting beyond the limit, however deep', () => {
    const nested = (depth: number) => {
      let filter: unknown = on('access', '=', 'open')
      for (let i = 1; i < depth; i++) filter = and(filter)
      return filter
    }
    expect(parseFilter(files, nested(FILTER_LIMITS.depth))).toBeDefined()
    expect(failure(nested(FILTER_LIMITS.depth + 1)).message).toContain('32')
    const textOf = (levels: number) =>
      `${'{"op":"and","content":['.repeat(levels)}1${']}'.repeat(levels)}`
    expect(failure(textOf(40)).message).toContain('32')
    // Before it is parsed: of 4 MiB of brackets that would take most of a second.
    const message = 'the text of filters is nested deeper than 128 levels'
    expect(failure(textOf(100_000))).toEqual({ at: 'filters', message })
  })

  test('more values than the limit, in one list or in many leaves', () => {
    const many = FILTER_LIMITS.values + 1
    const list = on(
      'access',
      'in',
      Array.from({ length: many }, () => 'x'),
    )
    expect(failure(list)).toEqual({
      at: 'filters.content.value',
      message: expect.stringContaining('65536'),
    })
    const leaves = and(...Array.from({ length: many }, () => on('access', 'not')))
    expect(failure(leaves)).toMatchObject({ at: 'filters.content[65536]' })
    const range = { field: 'file_size', ranges: Array.from({ length: many }, () => ({ from: 1 })) }
    expect(failure({ op: 'range', content: range })).toMatchObject({ at: 'filters.content.ranges' })
  })

  test('more text than the limit, by its bytes, in one list or in many leaves', () => {
    const texts = ['é'.repeat(1 << 20), 'x'.repeat(1 << 20), 'y'.repeat(1 << 20), 'z']
    const expected = { message: expect.stringContaining('4194304 bytes of text') }
    expect(failure(on('access', 'in', texts))).toMatchObject({
      ...expected,
      at: 'filters.content.value[3]',
    })
    const leaves = and(...texts.map((text) => on('access', '=', text)))
    expect(failure(leaves)).toMatchObject({ ...expected, at: 'filters.content[3].content.value' })
  })
})
