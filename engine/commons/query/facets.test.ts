import { describe, expect, test } from 'vitest'
import { and, ask, on, or } from './support/ask.ts'
import { memoryRelease } from './support/memory-release.ts'

// Expected buckets are counted by hand from the documents, by the rules of data-commons.md 3.4.

const bucket = (key: string, doc_count: number) => ({ doc_count, key })

describe('facets (data-commons.md 3.4)', () => {
  const sample = (sample_type?: string) => (sample_type ? { sample_type } : {})
  const release = memoryRelease({
    projects: [
      { project_id: 'P', primary_site: ['Kidney', 'Brain'] },
      { project_id: 'Q', primary_site: ['Brain'] },
    ],
    cases: [
      {
        case_id: 'a',
        disease_type: 'Glioma',
        project: { project_id: 'P' },
        samples: [sample('Tumor'), sample('tumor'), sample('Normal')],
        demographic: { days_to_death: 10 },
        diagnoses: [{ age_at_diagnosis: 1 }, { age_at_diagnosis: 3 }],
      },
      {
        case_id: 'b',
        disease_type: 'glioma',
        project: { project_id: 'P' },
        samples: [sample(), sample()],
        demographic: { days_to_death: 30 },
        diagnoses: [{ age_at_diagnosis: 3 }, {}],
      },
      { case_id: 'c', disease_type: 'Adenoma', project: { project_id: 'Q' }, samples: [] },
      { case_id: 'd', disease_type: 'Zoster "x"', samples: [sample('Tumor')] },
    ],
    files: [
      { file_id: 'f1', access: 'open', cases: [{ case_id: 'a' }, { case_id: 'a' }], file_size: 5 },
      { file_id: 'f2', access: 'open', cases: [{ case_id: 'a' }, { case_id: 'c' }], file_size: 7 },
      { file_id: 'f3', cases: [{ case_id: 'b' }], file_size: 9 },
    ],
  })
  const facets = (names: readonly string[], filters?: unknown) =>
    ask(release, 'cases', { facets: names, filters, size: 0 }).aggregations
  const buckets = (name: string, filters?: unknown) => facets([name], filters)[name].buckets

  test('buckets are ordered by count, then by key in lower case; missing values are last', () => {
    expect(buckets('disease_type')).toEqual([
      bucket('glioma', 2),
      bucket('adenoma', 1),
      bucket('zoster "x"', 1),
    ])
    expect(buckets('project.primary_site')).toEqual([
      bucket('brain', 3),
      bucket('kidney', 2),
      bucket('_missing', 1),
    ])
  })

  test('a record counts once per value, and as missing once when an element lacks it', () => {
    const expected = [bucket('tumor', 2), bucket('normal', 1), bucket('_missing', 1)]
    expect(buckets('samples.sample_type')).toEqual(expected)
    const without = on('disease_type', '!=', 'nothing')
    expect(buckets('samples.sample_type', without)).toEqual(expected)
    expect(buckets('samples.tissue_type')).toEqual([bucket('_missing', 3)])
    expect(buckets('exposures.asbestos_exposure')).toEqual([])
    expect(buckets('consent_type')).toEqual([bucket('_missing', 4)])
  })

  test('records are counted, not the elements that lead to them', () => {
    expect(buckets('files.access')).toEqual([bucket('open', 2), bucket('_missing', 1)])
  })

  test('numbers have statistics over the values that are reached', () => {
    const { stats } = facets(['diagnoses.age_at_diagnosis'])['diagnoses.age_at_diagnosis']
    expect(stats).toEqual({ count: 3, min: 1, max: 3, avg: 7 / 3, sum: 7 })
    const some = facets(['demographic.days_to_death'], on('case_id', 'in', ['b', 'c']))
    expect(some).toEqual({
      'demographic.days_to_death': { stats: { count: 1, min: 30, max: 30, avg: 30, sum: 30 } },
    })
    // A file that lists a case twice still counts once for the case.
    const sizes = facets(['files.file_size'])['files.file_size'].stats
    expect(sizes).toEqual({ count: 4, min: 5, max: 9, avg: 7, sum: 28 })
  })

  test('statistics of no value are empty', () => {
    const empty = { stats: { count: 0, min: null, max: null, avg: null, sum: 0 } }
    const name = 'demographic.days_to_death'
    expect(facets([name], on('case_id', '=', 'd'))).toEqual({ [name]: empty })
    expect(facets(['days_to_consent'])).toEqual({ days_to_consent: empty })
  })

  test('a facet ignores conditions on its own field, under any of its names', () => {
    const site = on('cases.project.primary_site', '=', 'Kidney')
    const filters = and(site, on('disease_type', '=', 'glioma'))
    const { total, aggregations } = ask(release, 'cases', {
      filters,
      size: 0,
      facets: ['project.primary_site', 'disease_type'],
    })
    expect(total).toBe(2)
    expect(aggregations).toEqual({
      'project.primary_site': { buckets: [bucket('brain', 2), bucket('kidney', 2)] },
      disease_type: { buckets: [bucket('glioma', 2)] },
    })
    for (const op of ['=', '!=', 'exclude', 'excludeifany', 'is', 'not']) {
      const value = op === 'is' || op === 'not' ? 'MISSING' : 'adenoma'
      expect(buckets('disease_type', on('disease_type', op, value))).toEqual(
        buckets('disease_type'),
      )
    }
  })

  test('a facet keeps comparisons of its own field', () => {
    expect(buckets('disease_type', on('disease_type', '<', 'b'))).toEqual([bucket('adenoma', 1)])
    const name = 'demographic.days_to_death'
    expect(facets([name], on(name, '>', 10))[name].stats).toMatchObject({ count: 1, sum: 30 })
    const range = { op: 'range', content: { field: name, ranges: [{ from: 5, to: 30 }] } }
    expect(facets([name], range)[name].stats).toMatchObject({ count: 1, sum: 10 })
  })

  test('filters with or are counted (data-commons.md 11.12); an operand of the own field falls away', () => {
    const glioma = on('disease_type', '=', 'glioma')
    const first = on('case_id', '=', 'c')
    expect(buckets('samples.sample_type', or(glioma, first))).toEqual([
      bucket('normal', 1),
      bucket('tumor', 1),
      bucket('_missing', 1),
    ])
    expect(buckets('disease_type', or(glioma, first))).toEqual([bucket('adenoma', 1)])
    expect(buckets('disease_type', and(or(glioma), first))).toEqual([bucket('adenoma', 1)])
  })

  test('the other conditions of an element stay when the own one is left out', () => {
    const filters = and(on('files.access', '=', 'open'), on('files.file_size', '>', 6))
    expect(buckets('files.access', filters)).toEqual([bucket('open', 2), bucket('_missing', 1)])
    expect(ask(release, 'cases', { filters }).ids).toEqual(['a', 'c'])
  })

  test('without facets there are no aggregations; a repeated name is returned once', () => {
    expect(ask(release, 'cases', {})).not.toHaveProperty('aggregations')
    const twice = ask(release, 'cases', { facets: ['disease_type', 'disease_type'], size: 0 })
    expect(Object.keys(twice.aggregations)).toEqual(['disease_type'])
  })

  test('members are in the requested order', () => {
    const names = ['samples.sample_type', 'case_id', 'disease_type']
    expect(Object.keys(facets(names))).toEqual(names)
    expect(buckets('case_id')).toEqual(['a', 'b', 'c', 'd'].map((id) => bucket(id, 1)))
  })
})
