import { describe, expect, test } from 'vitest'
import { ask, on } from './support/ask.ts'
import { memoryRelease } from './support/memory-release.ts'

describe.each([true, false])(
  'pages of columns with an order: %s (data-commons.md 2.1)',
  (ordered) => {
    const release = memoryRelease(
      {
        files: [
          { file_id: 'a', file_size: 3, data_format: 'x', tags: ['m', 'b'] },
          { file_id: 'b', data_format: 'y', tags: ['c'] },
          { file_id: 'c', file_size: 1, data_format: 'X' },
          { file_id: 'd', file_size: 3, data_format: 'w', tags: ['a', 'z'] },
          { file_id: 'e', file_size: 20, tags: ['z'] },
          { file_id: 'f', data_format: 'w', tags: ['b'] },
        ],
      },
      { ordered, bitmapped: ordered },
    )
    const ids = (asked: Parameters<typeof ask>[2]) => ask(release, 'files', asked).ids.join('')

    test('without a sort records come by id', () => {
      expect(ids({})).toBe('abcdef')
      expect(ids({ from: 2, size: 3 })).toBe('cde')
      expect(ids({ filters: on('file_size', 'not'), from: 1, size: 2 })).toBe('cd')
    })

    test.each([
      [['file_size'], 'cadebf'],
      [['file_size:asc'], 'cadebf'],
      [['file_size:desc'], 'eadcbf'],
      [['data_format'], 'dfacbe'],
      [['data_format:desc'], 'bacdfe'],
      [['data_format', 'file_size'], 'dfcabe'],
      [['data_format:desc', 'file_size:desc'], 'bacdfe'],
      [['file_size', 'data_format'], 'cdaefb'],
      [['file_size:desc', 'data_format'], 'edacfb'],
      [['file_id:desc'], 'fedcba'],
      [['file_size:desc', 'file_id:desc'], 'edacfb'],
      [['data_format', 'file_id:desc', 'file_size'], 'fdcabe'],
      // Of several values, ascending order uses the smallest and descending order the largest.
      [['tags'], 'dafbec'],
      [['tags:desc'], 'deabfc'],
      [['platform', 'file_size:desc'], 'eadcbf'],
    ])('sorted by %j', (sort, expected) => {
      expect(ids({ sort })).toBe(expected)
      for (const size of [1, 2, 3, 4]) {
        const starts = Array.from({ length: Math.ceil(6 / size) }, (_, i) => i * size)
        expect(starts.map((from) => ids({ sort, from, size })).join('')).toBe(expected)
      }
      const some = [...expected].filter((id) => id !== 'a' && id !== 'f').join('')
      const filters = on('file_id', '!=', ['a', 'f'])
      expect(ids({ sort, filters })).toBe(some)
      expect(ids({ sort, filters, from: 1, size: 2 })).toBe(some.slice(1, 3))
    })

    test('a page beyond the last record is empty, one of no size too; the total stays', () => {
      for (const page of [{ from: 6 }, { from: 99_999_999, size: 1 }, { size: 0 }]) {
        expect(ask(release, 'files', { ...page, sort: ['file_size'] })).toEqual({
          total: 6,
          ids: [],
        })
      }
    })

    test('nothing found is a page without records', () => {
      const filters = on('file_size', '>', 100)
      const asked = { filters, sort: ['file_size', 'tags'] }
      expect(ask(release, 'files', asked)).toEqual({ total: 0, ids: [] })
    })
  },
)
