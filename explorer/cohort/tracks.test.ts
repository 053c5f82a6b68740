import { expect, test } from 'vitest'
import { type CaseHit, trackRequest, tracksOf } from './tracks.ts'

const HITS: readonly CaseHit[] = [
  { id: 'a', primary_site: 'lung', diagnoses: [{ age_at_diagnosis: 50 * 365.25 }] },
  { id: 'b', primary_site: 'brain', diagnoses: [{ ajcc_pathologic_stage: 'Stage IIB' }] },
  { id: 'c', primary_site: 'lung', diagnoses: [{ ajcc_pathologic_stage: 'Stage I' }] },
  { id: 'd', primary_site: 'Not Reported' },
]

test('tracks tell what is known of each case, in the order of the cases', () => {
  const byId = new Map(HITS.map((hit) => [hit.id, hit]))
  const [site, age, stage, ...others] = tracksOf(['d', 'c', 'b', 'a', 'unknown'], byId)
  expect(others).toEqual([])
  expect(site?.values).toEqual([undefined, 'lung', 'brain', 'lung', undefined])
  expect(site?.legend.map(({ name }) => name)).toEqual(['lung', 'brain'])
  // Equal words have the same colour, and unknown words have none.
  expect(site?.colors[1]).toBe(site?.colors[3])
  expect(site?.colors[0]).toBeUndefined()
  expect(age?.values[3]).toBe('50 years')
  expect(stage?.legend.map(({ name }) => name)).toEqual(['Stage I', 'Stage II'])
  expect(stage?.ranks.slice(0, 3)).toEqual([Number.POSITIVE_INFINITY, 1, 2])
})

test('a cohort is asked for as a whole, or by its cases where it is too large', () => {
  const filter = { op: 'in', content: { field: 'primary_site', value: ['lung'] } }
  expect(trackRequest(filter, { total: 812, cases: ['a'] })).toMatchObject({
    query: { size: 812 },
    filters: filter,
  })
  expect(trackRequest(undefined, { total: 45_000, cases: ['a', 'b'] })).toMatchObject({
    query: { size: 2 },
    filters: { op: 'in', content: { field: 'case_id', value: ['a', 'b'] } },
  })
})
