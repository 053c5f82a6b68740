import { expect, test } from 'vitest'
import { paginationOf } from './pagination.ts'

// data-commons.md 3.1, which was compared with 28 published responses.

test('a page has the position of its first record', () => {
  expect(paginationOf({ count: 5, total: 1000, size: 5, from: 101, sorted: false })).toEqual({
    count: 5,
    total: 1000,
    size: 5,
    from: 101,
    sort: '',
    page: 21,
    pages: 200,
  })
})

test('a page of no records counts as pages of one', () => {
  expect(paginationOf({ count: 0, total: 79, size: 0, from: 0, sorted: true })).toMatchObject({
    sort: 'None',
    page: 1,
    pages: 79,
  })
})

test('nothing found is page 0 of 0', () => {
  expect(paginationOf({ count: 0, total: 0, size: 10, from: 0, sorted: false })).toMatchObject({
    page: 0,
    pages: 0,
  })
})
