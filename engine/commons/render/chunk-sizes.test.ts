import { expect, test } from 'vitest'
import { ChunkSizes } from './chunk-sizes.ts'

test('the first piece is small, and pieces grow as long as nothing is known of them', () => {
  const sizes = new ChunkSizes()
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => sizes.next())).toEqual([
    ...[50, 100, 200, 400, 800, 1600, 3200, 4000],
  ])
})

test('where a row may hold many others, the first pieces are smaller', () => {
  const sizes = new ChunkSizes({ large: true })
  expect([sizes.next(), sizes.next()]).toEqual([8, 16])
})

test('pieces are cut to a mebibyte of work', () => {
  const sizes = new ChunkSizes()
  for (let i = 0; i < 6; i++) sizes.next()
  sizes.measured(50, 50 * 1024)
  expect(sizes.next()).toBe(1024)
  sizes.measured(50, 50 * 3 * 1024)
  expect(sizes.next()).toBe(512)
})

test('a piece has a row at least, however large', () => {
  const sizes = new ChunkSizes()
  sizes.next()
  sizes.measured(50, 50 * 2 ** 30)
  expect(sizes.next()).toBe(1)
})
