import { describe, expect, test } from 'vitest'
import { inlineExecutor } from '../../shared/executor.ts'
import type { DATASETS } from '../datasets/index.ts'
import { arraysOf } from '../release/arrays.ts'
import type { LoadedArrays } from '../release/loaded.ts'
import { boundedCost, costOf, MAX_COST } from './cost.ts'
import { evaluate, evaluateJob } from './evaluate.ts'
import { keysOf } from './keys.ts'
import { joinAnswers, splitQuery } from './split.ts'
import { and, ask, on, or, queryOf } from './support/ask.ts'
import { memoryRelease } from './support/memory-release.ts'
import { Dice, FIELDS, randomCommons, randomFilter } from './support/random-commons.ts'

const commons = memoryRelease(randomCommons(new Dice(7), 40))

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

describe('a query and its arrays', () => {
  test('the named keys are all that is looked at', () => {
    const dice = new Dice(8)
    for (const [name, fields] of Object.entries(FIELDS)) {
      const dataset = name as keyof typeof DATASETS
      for (let i = 0; i < 40; i++) {
        const query = queryOf(dataset, {
          filters: randomFilter(dice, fields, 2),
          facets: [dice.of(fields)],
          sort: [dice.of(fields)],
        })
        const keys = new Set(keysOf(query))
        const parts = Object.entries(commons.loaded.parts).filter(([key]) => keys.has(key))
        const loaded: LoadedArrays = { ...commons.loaded, parts: Object.fromEntries(parts) }
        expect(evaluate(query, arraysOf(loaded))).toEqual(evaluate(query, commons.arrays))
      }
    }
  })

  test('keys are those of columns, of levels and of links on the way', () => {
    const query = queryOf('cases', { filters: on('files.analysis.input_files.file_id', '=', 'x') })
    expect(keysOf(query).sort()).toEqual([
      'bitmaps/files/analysis.input_files.file_id',
      'columns/files/analysis.input_files.file_id',
      'indexes/files/analysis.input_files.file_id',
      'levels/files/analysis.input_files',
      'levels/files/cases',
      'links/files/cases',
    ])
  })

  test('the job gives the same result after its input was cloned to a thread', async () => {
    const query = queryOf('files', {
      filters: on('access', '=', 'open'),
      facets: ['access', 'acl'],
    })
    const input = structuredClone({ query, loaded: commons.loaded })
    const answer = await inlineExecutor.run(evaluateJob, input)
    expect(answer).toEqual(evaluate(query, commons.arrays))
    const buffers = evaluateJob.transfer?.(answer) ?? []
    expect(structuredClone(answer, { transfer: buffers }).total).toBe(answer.total)
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual([0, 0])
  })
})

describe('a query in parts', () => {
  // No record has `imaging_date`.
  const facets = [...(FIELDS.files ?? []), 'imaging_date']
  const query = queryOf('files', {
    facets,
    filters: on('access', '=', 'open'),
    sort: ['file_size'],
    from: 2,
    size: 5,
  })

  test.each([1, 2, 3, 8, 100])('%i parts joined are the whole answer, byte for byte', (parts) => {
    const [first, ...others] = splitQuery(query, commons.layouts, parts).map((part) =>
      evaluate(part, commons.arrays),
    )
    if (!first) throw new Error('no part')
    const whole = evaluate(query, commons.arrays)
    const joined = joinAnswers([first, ...others])
    expect(text(joined.aggregations)).toBe(text(whole.aggregations))
    expect({ ...joined, aggregations: 0 }).toEqual({ ...whole, aggregations: 0 })
  })

  test('without facets there is one part', () => {
    const parts = splitQuery({ ...query, facets: [] }, commons.layouts, 4)
    expect(parts).toEqual([{ ...query, facets: [] }])
    const [answer] = parts.map((part) => evaluate(part, commons.arrays))
    expect(answer && joinAnswers([answer])).toEqual(answer)
  })
})

describe('costs', () => {
  const { layouts } = commons
  const largeWith = (bitmapped: boolean) => {
    const columns = Object.entries(layouts.files.columns).map(([path, layout]) => [
      path,
      { ...layout, bitmapped },
    ])
    const files = { ...layouts.files, rows: 1_000_000, columns: Object.fromEntries(columns) }
    return { ...layouts, files }
  }
  const large = largeWith(false)

  test('a condition on the id is cheap, with any further conditions', () => {
    const byId = on('file_id', '=', 'f-0001')
    expect(costOf(queryOf('files', { filters: byId }), large)).toBeLessThan(100_000)
    const more = and(byId, on('access', '=', 'open'), on('file_size', '>', 5))
    expect(costOf(queryOf('files', { filters: more, size: 10 }), large)).toBeLessThan(400_000)
    const all = queryOf('files', { filters: on('access', '=', 'open'), size: 10 })
    expect(costOf(all, large)).toBeGreaterThan(1_000_000)
  })

  test('a value is cheap where the release has the sets of a column', () => {
    const query = queryOf('files', { filters: on('access', '=', 'open'), size: 10 })
    expect(costOf(query, largeWith(true))).toBeLessThan(100_000)
  })

  test('facets of all records cost no pass over them', () => {
    const query = queryOf('files', { facets: ['access', 'data_type'], size: 10 })
    expect(costOf(query, large)).toBeLessThan(10_000)
  })

  test('the cost of a facet behind joins is the size of all lists on its path', () => {
    // 45,000 cases with 4,000,000 pairs and 1,000,000 files: each pair leads to some 20 files.
    const rows = (name: 'cases' | 'genes' | 'files', count: number) => ({
      ...layouts[name],
      rows: count,
    })
    const elements = { ...layouts.files.levels.cases!, elements: 1_000_000 }
    const names = { ...layouts.files.columns.file_id!, identity: false, distinct: 1_000_000 }
    const joined = {
      ...layouts,
      cases: rows('cases', 45_000),
      genes: rows('genes', 60_000),
      files: {
        ...rows('files', 1_000_000),
        levels: { ...layouts.files.levels, cases: elements },
        columns: { ...layouts.files.columns, file_name: names },
      },
      case_genes: { rows: 4_000_000, levels: {}, columns: {}, links: {} },
    }
    const cost = (...facets: string[]) => costOf(queryOf('genes', { facets }), joined)
    expect(cost('files.file_name')).toBeGreaterThan(MAX_COST)
    // A field with few values is counted by evaluating one filter per value.
    expect(cost('files.data_type')).toBeLessThan(MAX_COST / 2)
    expect(cost('case.primary_site')).toBeLessThan(50_000_000)
  })

  test('a query beyond the limit is refused with the limit', () => {
    const operands = Array.from({ length: 2000 }, (_, i) => on('file_size', '>', i))
    const query = queryOf('files', { filters: or(...operands) })
    expect(boundedCost(query, commons.layouts)).toBe(costOf(query, commons.layouts))
    expect(() => boundedCost(query, large)).toThrow(String(MAX_COST))
  })
})

describe('thousands of records', () => {
  // Few enough to check every document, enough for every way of reading columns to be chosen.
  const dice = new Dice(9)
  const documents = Array.from({ length: 6000 }, (_, i) => ({
    file_id: `f${String(i).padStart(5, '0')}`,
    access: dice.of(['open', 'closed', 'open', null]),
    file_size: dice.below(5000),
    data_format: `t${dice.below(900)}`,
  }))
  const release = memoryRelease({ files: documents })
  const idsOf = (keep: (file: (typeof documents)[number]) => boolean) =>
    documents.filter(keep).map(({ file_id }) => file_id)
  const ids = (filters: unknown, sort: readonly string[] = []) =>
    ask(release, 'files', { filters, sort }).ids

  test('few values are taken from the order, many from the codes', () => {
    const wanted = [7, 4000, 4001, 99]
    expect(ids(on('file_size', 'in', wanted))).toEqual(
      idsOf(({ file_size }) => wanted.includes(file_size)),
    )
    const [one] = wanted
    expect(ids(on('file_size', '=', one))).toEqual(idsOf(({ file_size }) => file_size === one))
    const many = Array.from({ length: 500 }, (_, i) => 7 * i)
    expect(ids(on('file_size', 'in', many))).toEqual(
      idsOf(({ file_size }) => many.includes(file_size)),
    )
    expect(ids(on('file_size', '>=', 4990))).toEqual(idsOf(({ file_size }) => file_size >= 4990))
    expect(ids(on('file_size', '<', 3000))).toEqual(idsOf(({ file_size }) => file_size < 3000))
  })

  test('conditions narrow one another, from whichever side', () => {
    const few = on('data_format', 'in', ['t1', 't77', 't500'])
    const is = (file: (typeof documents)[number]) =>
      ['t1', 't77', 't500'].includes(file.data_format)
    expect(ids(and(on('access', '=', 'open'), few))).toEqual(
      idsOf((file) => is(file) && file.access === 'open'),
    )
    expect(ids(and(few, on('access', 'is'), on('file_size', '>', 1000)))).toEqual(
      idsOf((file) => is(file) && file.access === null && file.file_size > 1000),
    )
    expect(ids(and(on('file_id', '=', 'F00017'), on('access', 'in', ['open', 'closed'])))).toEqual(
      idsOf(({ file_id, access }) => file_id === 'f00017' && access !== null),
    )
  })

  test.each([
    ['file_size', 1],
    ['file_size:desc', -1],
  ])('sorted pages, by %s', (sort, sign) => {
    const sorted = documents.toSorted(
      (a, b) => sign * (a.file_size - b.file_size) || (a.file_id < b.file_id ? -1 : 1),
    )
    for (const [filters, kept] of [
      [undefined, sorted],
      [on('access', '=', 'open'), sorted.filter(({ access }) => access === 'open')],
    ] as const) {
      const expected = kept.map(({ file_id }) => file_id)
      for (const from of [0, 10, 1234, 2000, expected.length - 30]) {
        const page = { sort: [sort], from, size: 30, filters }
        expect(ask(release, 'files', page).ids).toEqual(expected.slice(from, from + 30))
      }
    }
  })
})
