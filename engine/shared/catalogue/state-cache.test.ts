import { expect, test } from 'vitest'
import { Shelf, STALE_MS } from './state-cache.ts'

function shelfOf({ most = 10 } = {}) {
  const world = { now: 0, isUpToDate: true }
  const shelf = new Shelf({
    most,
    milliseconds: 5000,
    now: () => world.now,
    isUpToDate: () => world.isUpToDate,
  })
  const put = (key: string) => shelf.keep(key, { key }, shelf.asked())
  return { world, shelf, put }
}

test('what is kept is fresh until its time is over, and counted', () => {
  const { world, shelf, put } = shelfOf()
  expect(shelf.fresh('a')).toBeUndefined()
  put('a')
  world.now = 4999
  expect(shelf.fresh('a')).toEqual({ key: 'a' })
  world.now = 5000
  expect(shelf.fresh('a')).toBeUndefined()
  expect([shelf.hits, shelf.misses]).toEqual([1, 2])
})

test('the time counts from when the database was asked, not from its answer', () => {
  const { world, shelf } = shelfOf()
  const asked = shelf.asked()
  world.now = 4000
  shelf.keep('a', {}, asked)
  world.now = 5000
  expect(shelf.fresh('a')).toBeUndefined()
})

test('an answer that a write overtook is not kept', () => {
  const { shelf } = shelfOf()
  const asked = shelf.asked()
  shelf.drop(['a'])
  shelf.keep('a', {}, asked)
  expect(shelf.fresh('a')).toBeUndefined()
})

test('an answer from before it listened is not kept', () => {
  const { world, shelf } = shelfOf()
  world.isUpToDate = false
  const asked = shelf.asked()
  world.isUpToDate = true
  shelf.keep('a', {}, asked)
  expect(shelf.fresh('a')).toBeUndefined()
})

test('nothing is used while writes would not be heard', () => {
  const { world, shelf, put } = shelfOf()
  put('a')
  world.isUpToDate = false
  expect(shelf.fresh('a')).toBeUndefined()
})

test('what is distrusted is stale for a minute, and never fresh again', () => {
  const { world, shelf, put } = shelfOf()
  put('a')
  shelf.distrust()
  expect(shelf.fresh('a')).toBeUndefined()
  world.now = STALE_MS - 1
  expect(shelf.stale('a')).toEqual({ key: 'a' })
  world.now = STALE_MS
  expect(shelf.stale('a')).toBeUndefined()
})

test('of too many the one that was used longest ago goes', () => {
  const { shelf, put } = shelfOf({ most: 2 })
  put('a')
  put('b')
  expect(shelf.fresh('a')).toBeDefined()
  put('c')
  const left = ['a', 'b', 'c'].filter((key) => shelf.fresh(key))
  expect(left).toEqual(['a', 'c'])
})
