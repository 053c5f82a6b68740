import { describe, expect, test } from 'vitest'
import { DATASETS } from '../datasets/index.ts'
import { createResolver } from '../datasets/resolver.ts'
import { costOf } from './cost.ts'
import { evaluate } from './evaluate.ts'
import { withHistograms } from './histograms.ts'
import { joinAnswers, splitQuery } from './split.ts'
import { ask, on, queryOf } from './support/ask.ts'
import { memoryRelease } from './support/memory-release.ts'

const DAY = 365.25

/** Cases with ages at diagnosis, in order of their letters. */
const commons = memoryRelease({
  cases: [
    { case_id: 'a', diagnoses: [{ age_at_diagnosis: 30 * DAY }, { age_at_diagnosis: 39 * DAY }] },
    { case_id: 'b', diagnoses: [{ age_at_diagnosis: 40 * DAY }, {}] },
    { case_id: 'c', diagnoses: [{ age_at_diagnosis: 49.99 * DAY }] },
    { case_id: 'd', created_datetime: '2018-09-13T13:41:51.057497-05:00' },
    { case_id: 'e', created_datetime: '2018-11-02T00:00:00.000000-05:00' },
    { case_id: 'f', created_datetime: 'unknown', diagnoses: [] },
  ],
})

const histogram = (field: string, interval: string, filters?: unknown) =>
  ask(commons, 'cases', { histograms: [`${field}:${interval}`], filters }).aggregations?.[field]

describe('a histogram', () => {
  test('of numbers counts each record once for an interval, from its start up to its end', () => {
    expect(histogram('diagnoses.age_at_diagnosis', String(10 * DAY))).toEqual({
      histogram: {
        interval: 3652.5,
        buckets: [
          { key: '10957.5', doc_count: 1 },
          { key: '14610', doc_count: 2 },
          { key: '_missing', doc_count: 1 },
        ],
      },
    })
  })

  test.each([
    ['year', ['2018 2']],
    ['month', ['2018-09 1', '2018-11 1']],
    ['Day', ['2018-09-13 1', '2018-11-02 1']],
  ])('of dates by %s uses the written date; invalid dates count as missing', (unit, expected) => {
    const { interval, buckets } = histogram('created_datetime', unit).histogram
    expect(interval).toBe(unit.toLowerCase())
    const told = buckets.map(({ key, doc_count }: Record<string, unknown>) => `${key} ${doc_count}`)
    expect(told).toEqual([...expected, '_missing 4'])
  })

  test('sees the filter as a facet of its field does', () => {
    const of = (op: string, value: unknown) =>
      histogram('created_datetime', 'year', on('created_datetime', op, value)).histogram.buckets
    expect(of('=', '2018-11-02T00:00:00.000000-05:00')).toHaveLength(2)
    expect(of('>', '2018-10')).toEqual([
      { key: '2018', doc_count: 1 },
      { key: '_missing', doc_count: 1 },
    ])
  })

  test('is added to the facet of the same field, or is alone without one', () => {
    const field = 'diagnoses.age_at_diagnosis'
    const asked = {
      facets: [field, 'created_datetime'],
      histograms: [`${field}:365`, 'days_to_consent:5'],
    }
    const { aggregations } = ask(commons, 'cases', asked)
    expect(Object.keys(aggregations[field])).toEqual(['stats', 'histogram'])
    expect(aggregations[field].stats.count).toBe(4)
    expect(Object.keys(aggregations.created_datetime)).toEqual(['buckets'])
    const none = { interval: 5, buckets: [{ doc_count: 6, key: '_missing' }] }
    expect(aggregations.days_to_consent).toEqual({ histogram: none })
  })

  test('is the same in a query of several parts', () => {
    const query = queryOf('cases', {
      facets: ['case_id', 'created_datetime'],
      histograms: ['created_datetime:year', 'diagnoses.age_at_diagnosis:1000'],
    })
    const whole = evaluate(query, commons.arrays)
    const [first, ...others] = splitQuery(query, commons.layouts, 3).map((part) =>
      evaluate(part, commons.arrays),
    )
    if (!first) throw new Error('no part')
    const text = (bytes?: Uint8Array) => JSON.parse(Buffer.from(bytes ?? []).toString())
    expect(text(joinAnswers([first, ...others]).aggregations)).toEqual(text(whole.aggregations))
  })

  test('has keys without the digits that multiplying leaves behind', () => {
    const numbers = [-0.35, 0.05, 0.3, 0.71].map((bmi, i) => ({
      case_id: `${i}`,
      exposures: [{ bmi }],
    }))
    const release = memoryRelease({ cases: numbers })
    const { aggregations } = ask(release, 'cases', { histograms: ['exposures.bmi:0.1'] })
    const keys = aggregations['exposures.bmi'].histogram.buckets.map(
      ({ key }: { key: string }) => key,
    )
    expect(keys).toEqual(['-0.4', '0', '0.3', '0.7'])
  })
})

describe('limits', () => {
  const count = 1500
  const cases = Array.from({ length: count }, (_, i) => ({
    case_id: String(i).padStart(5, '0'),
    days_to_consent: i * 3,
    created_datetime: new Date(Date.UTC(2000, 0, 1 + i)).toISOString(),
  }))
  const many = memoryRelease({ cases })
  const of = (histogram: string) => ask(many, 'cases', { histograms: [histogram] }).aggregations

  test('more than 1,000 intervals are refused with one that is long enough', () => {
    const refused =
      /^days_to_consent has values in more than 1000 intervals of 1, .* give an interval of 4.6 or more$/
    expect(() => of('days_to_consent:1')).toThrow(refused)
    const buckets = of('days_to_consent:4.6').days_to_consent.histogram.buckets
    expect(buckets.length).toBeLessThanOrEqual(1000)
    expect(() => of('created_datetime:day')).toThrow(/give a longer part of the calendar$/)
    expect(of('created_datetime:month').created_datetime.histogram.buckets).toHaveLength(50)
  })

  test('cutting all values is part of the cost', () => {
    const layout = { ...many.layouts.cases.columns.days_to_consent!, distinct: 1e8 }
    const columns = { ...many.layouts.cases.columns, days_to_consent: layout }
    const large = { ...many.layouts, cases: { ...many.layouts.cases, columns } }
    const cost = costOf(queryOf('cases', { histograms: ['days_to_consent:10'] }), large)
    expect(cost).toBeGreaterThan(1e8)
  })
})

describe('invalid histograms', () => {
  const resolver = createResolver(DATASETS.cases)
  const read = (...texts: string[]) => withHistograms([], texts, resolver)

  test.each([
    ['diagnoses.age_at_diagnosis', /holds numbers: give the length/],
    ['diagnoses.age_at_diagnosis:', /holds numbers/],
    ['diagnoses.age_at_diagnosis:0', /holds numbers/],
    ['diagnoses.age_at_diagnosis:-5', /holds numbers/],
    ['diagnoses.age_at_diagnosis:1e999', /holds numbers/],
    ['diagnoses.age_at_diagnosis:Infinity', /holds numbers/],
    ['diagnoses.age_at_diagnosis:year', /holds numbers/],
    ['diagnoses.age_at_diagnosis:10:20', /holds numbers/],
    ['created_datetime:week', /holds dates: give year, month or day/],
    ['created_datetime:10', /holds dates/],
    ['primary_site:10', /holds texts; histograms count numbers and dates/],
  ])('%s is refused, and the message states the accepted form', (text, message) => {
    const refused = expect.objectContaining({ code: 'bad_input', at: 'histograms' })
    expect(() => read(text)).toThrow(refused)
    expect(() => read(text)).toThrow(message)
  })

  test('two intervals for one name are refused, the same one again is not', () => {
    expect(() => read('days_to_consent:1', 'days_to_consent:2')).toThrow(/twice/)
    expect(read('days_to_consent:1', 'days_to_consent:1').facets).toHaveLength(1)
  })

  test('unknown fields are named in a warning', () => {
    const { facets, warning } = read('nope:1', 'days_to_consent:1')
    expect(facets).toHaveLength(1)
    expect(warning).toBe('unrecognized values: [nope]')
  })
})
