import { describe, expect, test } from 'vitest'
import { ask, on } from './support/ask.ts'
import { memoryRelease } from './support/memory-release.ts'

describe('a record that leads to thousands of others', () => {
  const count = 5000
  const few = Array.from({ length: 200 }, (_, i) => ({ case_id: `b${String(i).padStart(3, '0')}` }))
  const release = memoryRelease({
    cases: [{ case_id: 'a' }, ...few],
    files: Array.from({ length: count }, (_, i) => ({
      file_id: `f${i}`,
      file_size: i,
      data_format: `x${i % 1500}`,
      // Every hundredth file lists the case twice.
      cases: (i % 100 === 0 ? ['a', 'a'] : ['a', `b${String(i % 199).padStart(3, '0')}`]).map(
        (case_id) => ({ case_id, samples: [{ sample_type: `s${i % 3}` }] }),
      ),
    })),
  })
  const facet = (name: string, filters: unknown) =>
    ask(release, 'cases', { facets: [name], filters, size: 0 }).aggregations[name]

  test('each of them is reached once', () => {
    const one = on('case_id', '=', 'a')
    const sum = (count * (count - 1)) / 2
    const stats = { count, min: 0, max: count - 1, avg: sum / count, sum }
    expect(facet('files.file_size', one)).toEqual({ stats })
    const { buckets } = facet('files.data_format', one)
    expect(buckets).toHaveLength(1500)
    expect(new Set(buckets.map(({ doc_count }: { doc_count: number }) => doc_count))).toEqual(
      new Set([1]),
    )
  })

  test('rows that lead to few are not mixed up with it', () => {
    const { ids } = ask(release, 'cases', { sort: ['files.file_size:desc', 'case_id'] })
    // File 4999 belongs to case b024, 4998 to b023. Case b199 has no file, and `a` has all.
    expect(ids.slice(0, 3)).toEqual(['a', 'b024', 'b023'])
    expect(ids.at(-1)).toBe('b199')
    expect(facet('files.access', undefined).buckets).toEqual([{ doc_count: 200, key: '_missing' }])
  })

  test('few rows and all rows give consistent counts', () => {
    const all = facet('files.data_format', undefined).buckets
    const some = (filters: unknown) => facet('files.data_format', filters).buckets
    expect(some(on('case_id', '!=', 'none'))).toEqual(all)
    const [a, b] = [some(on('case_id', '=', 'a')), some(on('case_id', '!=', 'a'))]
    const sums = new Map<string, number>()
    for (const { key, doc_count } of [...a, ...b]) sums.set(key, (sums.get(key) ?? 0) + doc_count)
    for (const { key, doc_count } of all) expect(sums.get(key)).toBe(doc_count)
  })
})
