import { expect, test } from 'vitest'
import { SharedArena } from './shared-arena.ts'

const PAGE = 4096

test('extents never overlap, and all memory comes back', () => {
  const arena = new SharedArena(64 * PAGE)
  let seed = 7
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const taken: Uint8Array[] = []
  for (let step = 0; step < 5000; step++) {
    const extent = random(2) === 0 ? arena.take(random(9 * PAGE)) : undefined
    if (extent) {
      expect(extent.byteOffset % PAGE).toBe(0)
      const end = (one: Uint8Array) => one.byteOffset + Math.max(one.length, 1)
      const isApart = (one: Uint8Array) =>
        end(one) <= extent.byteOffset || end(extent) <= one.byteOffset
      expect(taken.every(isApart)).toBe(true)
      taken.push(extent)
    } else if (taken.length > 0) {
      arena.give(taken.splice(random(taken.length), 1)[0]!)
    }
  }
  for (const extent of taken) arena.give(extent)
  expect(arena.freeBytes).toBe(64 * PAGE)
  expect(arena.take(64 * PAGE)).toHaveLength(64 * PAGE)
  expect(arena.take(0)).toBeUndefined()
})

test('an arena without a page has nothing to give', () => {
  expect(new SharedArena(PAGE - 1).take(1)).toBeUndefined()
})
