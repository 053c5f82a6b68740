import { expect, test } from 'vitest'
import { LruCache } from './lru-cache.ts'

test('a thing is made once and kept as long as it is one of the last that were asked for', () => {
  const made: string[] = []
  const kept = new LruCache<string>(2)
  const of = (key: string) =>
    kept.of(key, () => {
      made.push(key)
      return key.toUpperCase()
    })
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(of)).toEqual(['A', 'B', 'A', 'C', 'A', 'B'])
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})
