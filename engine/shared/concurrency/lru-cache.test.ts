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

test('what is dropped, forgotten or left at the end is disposed of once', () => {
  const disposed: string[] = []
  const kept = new LruCache<string>(2, { dispose: (value) => disposed.push(value) })
  for (const key of ['a', 'b', 'a', 'c']) kept.of(key, () => key.toUpperCase())
  expect(disposed).toEqual(['B'])
  expect([kept.peek('a'), kept.peek('b')]).toEqual(['A', undefined])
  kept.forget('a')
  kept.forget('a')
  kept.forget('b')
  expect(disposed).toEqual(['B', 'A'])
  kept.close()
  kept.close()
  expect(disposed).toEqual(['B', 'A', 'C'])
})

test('a look does not count as asking, and what could not be made is not kept', () => {
  const kept = new LruCache<string>(2)
  for (const key of ['a', 'b']) kept.of(key, () => key)
  kept.peek('a')
  expect(() =>
    kept.of('c', () => {
      throw new Error('broken')
    }),
  ).toThrow('broken')
  kept.of('c', () => 'c')
  expect(['a', 'b', 'c'].map((key) => kept.peek(key))).toEqual([undefined, 'b', 'c'])
})
