import { describe, expect, test } from 'vitest'
import { type SamePrimarySource, samePrimary } from './same-primary.ts'

/** For each morphology, the morphologies that it lists, and the year from which it lists them. */
const LISTED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '9590/3': { '9591/3': 2001, '9650/3': 2010 },
  '9591/3': { '9590/3': 2001 },
  '9650/3': { '9590/3': 2005 },
}

const source: SamePrimarySource<string> = {
  matches: (morphology, other, year) => (LISTED[morphology]?.[other] ?? 9999) <= year,
}

type Dated = readonly [morphology: string, year: number]
const isSame = (one: Dated, other: Dated) =>
  samePrimary(
    source,
    { morphology: one[0], year: one[1] },
    { morphology: other[0], year: other[1] },
  )

describe('two morphologies are the same primary', () => {
  test('when they are one, in any years', () => {
    expect(isSame(['9999/3', 1900], ['9999/3', 2026])).toBe(true)
  })

  test('when both list each other, in one year', () => {
    expect(isSame(['9590/3', 2001], ['9591/3', 2001])).toBe(true)
    expect(isSame(['9590/3', 2000], ['9591/3', 2000])).toBe(false)
    expect(isSame(['9590/3', 2009], ['9650/3', 2009])).toBe(false)
    expect(isSame(['9590/3', 2010], ['9650/3', 2010])).toBe(true)
  })

  test('when the later one lists the other in its own year', () => {
    expect(isSame(['9650/3', 2009], ['9590/3', 2001])).toBe(true)
    expect(isSame(['9590/3', 2001], ['9650/3', 2009])).toBe(true)
    expect(isSame(['9590/3', 2009], ['9650/3', 2001])).toBe(false)
    expect(isSame(['9590/3', 2010], ['9650/3', 2001])).toBe(true)
  })

  test('never when one is no morphology, not even the same text', () => {
    expect(isSame(['9590', 2010], ['9590', 2010])).toBe(false)
    expect(isSame(['9590/3', 2010], ['9590/33', 2010])).toBe(false)
    expect(isSame(['x9590/3', 2010], ['x9590/3', 2010])).toBe(false)
  })
})
