import { describe, expect, test } from 'vitest'
import { DATASETS } from '../datasets/index.ts'
import { completionFilter } from '../search/completion.ts'
import { costOf } from './cost.ts'
import { evaluate } from './evaluate.ts'
import { and, ask, on, or, queryOf } from './support/ask.ts'
import { memoryRelease } from './support/memory-release.ts'
import { parseFilter } from './support/parse-filter.ts'

// Position of TP53 in GRCh38, as genome browsers write it.
const TP53 = 'chr17:7,661,779-7,687,550'

const change = (id: string, chromosome: string, start: number, end = start) => ({
  ssm_id: id,
  chromosome,
  start_position: start,
  end_position: end,
})

const commons = memoryRelease({
  ssms: [
    change('a', 'chr17', 7_661_778),
    change('b', 'chr17', 7_661_779),
    change('c', 'chr17', 7_661_770, 7_661_779),
    change('d', 'chr17', 7_687_550, 7_687_560),
    change('e', 'chr17', 7_687_551),
    change('f', 'chr7', 7_670_000),
    { ssm_id: 'g', chromosome: 'chr17' },
    change('h', 'chr17', 7_000_000, 8_000_000),
    change('i', 'MT', 5),
  ],
  ssm_occurrences: [
    { ssm_occurrence_id: 'o1', ssm: { ssm_id: 'a' }, case: { case_id: 'x' } },
    { ssm_occurrence_id: 'o2', ssm: { ssm_id: 'b' }, case: { case_id: 'x' } },
    { ssm_occurrence_id: 'o3', ssm: { ssm_id: 'f' }, case: { case_id: 'y' } },
  ],
  cnvs: [{ cnv_id: 'n', chromosome: '17', start_position: 7_600_000, end_position: 7_700_000 }],
  genes: [
    { gene_id: 'G1', gene_chromosome: '17', gene_start: 7_661_779, gene_end: 7_687_550 },
    { gene_id: 'G2', gene_chromosome: '17', gene_start: 7_687_551, gene_end: 7_690_000 },
  ],
  cases: [{ case_id: 'x' }, { case_id: 'y' }],
})

const found = (dataset: keyof typeof DATASETS, filters: unknown) =>
  ask(commons, dataset, { filters }).ids.join(' ')

describe('a region', () => {
  test.each([
    [TP53, 'b c d h'],
    ['chr17:7661779-7687550', 'b c d h'],
    ['17:7661779-7687550', 'b c d h'],
    ['Chr17:7661779-7687550', 'b c d h'],
    ['chr17:7661778-7661778', 'a c h'],
    ['chr17:7687551', 'd e h'],
    ['chr17:-7661778', 'a c h'],
    ['chr17', 'a b c d e h'],
    ['chr7:7,670,000-7,670,000', 'f'],
    ['chrM:1-10', 'i'],
    ['MT:5-5', 'i'],
    ['chr18:1-1000', ''],
    ['chr1', ''],
  ])('%s has the mutations that overlap it, ends included', (region, ids) => {
    expect(found('ssms', on('region', '=', region))).toBe(ids)
  })

  test('is a field wherever there are a chromosome and positions', () => {
    const overlaps = (field: string) => on(field, 'in', [TP53])
    expect(found('genes', overlaps('region'))).toBe('G1')
    expect(found('genes', overlaps('genes.region'))).toBe('G1')
    expect(found('cnvs', overlaps('region'))).toBe('n')
    expect(found('ssm_occurrences', overlaps('ssm.region'))).toBe('o2')
    expect(found('ssm_occurrences', overlaps('ssms.region'))).toBe('o2')
  })

  test('is one of several, or none of them', () => {
    const both = ['chr7', 'chr17:7687551-7687551']
    expect(found('ssms', on('region', 'in', both))).toBe('d e f h')
    expect(found('ssms', or(...both.map((one) => on('region', '=', one))))).toBe('d e f h')
    expect(found('ssms', on('region', 'exclude', both))).toBe('a b c g i')
    expect(found('ssms', on('region', 'excludeifany', both))).toBe('a b c g i')
    expect(found('ssms', on('region', 'in', []))).toBe('')
  })

  test('joins with other conditions', () => {
    const filters = and(on('region', '=', TP53), on('end_position', '>', 7_687_550))
    expect(found('ssms', filters)).toBe('d h')
  })

  test('of a text that is searched for is found by those that have places', () => {
    const ids = (dataset: keyof typeof DATASETS, text: string) => {
      const filter = completionFilter(DATASETS[dataset], text)
      const query = { ...queryOf(dataset, {}), filter }
      const { idField } = DATASETS[dataset]
      const { rows } = evaluate(query, commons.arrays)
      return Array.from(rows, (row) => commons.documents[dataset][row]?.[idField]).join(' ')
    }
    expect(ids('ssms', ` ${TP53}`)).toBe('b c d h')
    expect(ids('genes', TP53)).toBe('G1')
    expect(ids('cases', TP53)).toBe('')
    // A chromosome name without positions is a text to search for.
    expect(ids('ssms', 'chr17')).toBe('')
    expect(ids('ssms', 'chr17:9-5')).toBe('')
  })
})

describe('invalid regions', () => {
  const read = (op: string, value: unknown) => parseFilter(DATASETS.ssms, on('region', op, value))

  test.each([
    ...['', 'chr17:5-', 'chr17:9-5', 'HLA-A*01:01', 'chr17:7,66-9', 'chr17;5'],
    `${'x'.repeat(5000)}:`.repeat(2),
  ])('%j is refused', (value) => {
    const refused = expect.objectContaining({ code: 'bad_region', at: 'filters.content.value' })
    expect(() => read('=', value)).toThrow(refused)
  })

  test.each([[5], [true], [{}]])('%j is refused with an example', (value) => {
    const refused = expect.objectContaining({ code: 'bad_input', at: 'filters.content.value' })
    expect(() => read('=', value)).toThrow(refused)
    expect(() => read('=', value)).toThrow(/such as chr17:7,661,779-7,687,550/)
  })

  test.each(['<', '>=', 'is', 'not'])('the operator %s takes none', (op) => {
    expect(() => read(op, TP53)).toThrow(
      /takes no regions; use one of = in != exclude excludeifany/,
    )
  })

  test('a range takes none', () => {
    const filter = { op: 'range', content: { field: 'region', ranges: [{ from: 'chr1' }] } }
    expect(() => parseFilter(DATASETS.ssms, filter)).toThrow(/takes no regions/)
  })

  test.each(['cases', 'files', 'projects'] as const)('%s have no place', (name) => {
    expect(() => parseFilter(DATASETS[name], on('region', '=', TP53))).toThrow('no field "region"')
  })
})

test('each region costs a pass over chromosomes and positions', () => {
  const { layouts } = commons
  const large = { ...layouts, ssms: { ...layouts.ssms, rows: 1_000_000 } }
  const cost = (count: number) =>
    costOf(
      queryOf('ssms', {
        filters: on(
          'region',
          'in',
          Array.from({ length: count }, (_, i) => `chr1:${i + 1}`),
        ),
      }),
      large,
    )
  expect(cost(1)).toBeLessThan(10_000_000)
  expect(cost(100)).toBeGreaterThan(50 * cost(1))
})

test('the filters of a request have at most a hundred regions', () => {
  const regions = Array.from({ length: 100 }, (_, i) => `chr1:${i + 1}`)
  const inAll = on('region', 'in', regions)
  expect(() => parseFilter(DATASETS.ssms, inAll)).not.toThrow()
  const message = 'more than 100 regions, which is the limit'
  expect(() => parseFilter(DATASETS.ssms, or(inAll, on('region', '=', TP53)))).toThrow(message)
})
