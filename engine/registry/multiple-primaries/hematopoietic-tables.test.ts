import { describe, expect, test } from 'vitest'
import { placeOf } from './diagnosis.ts'
import { compileHematopoietic, MorphologyPairs } from './hematopoietic-tables.ts'

const [one, other] = [placeOf(9590, 3), placeOf(9591, 3)]

describe('a pair of morphologies', () => {
  const years = { start: 2005, end: 2009, validStart: 2001, validEnd: 2020 }
  const matching = (row: Partial<typeof years>) => {
    const pairs = new MorphologyPairs([{ morphology: '9590/3', other: '9591/3', ...row }])
    return [0, 2000, 2001, 2004, 2005, 2009, 2010, 2020, 2021, 9999].filter((year) =>
      pairs.matches(one, other, year),
    )
  }

  test('is listed in its years, the first and the last included', () => {
    expect(matching(years)).toEqual([2005, 2009])
  })

  test('is listed in the years of its morphology where it has none', () => {
    const { validStart, validEnd } = years
    expect(matching({ validStart, validEnd })).toEqual([2001, 2004, 2005, 2009, 2010, 2020])
    expect(matching({ start: 2005, validStart, validEnd })).toEqual([2005, 2009, 2010, 2020])
    expect(matching({ validStart })).toEqual([2001, 2004, 2005, 2009, 2010, 2020, 2021, 9999])
    expect(matching({})).toHaveLength(10)
  })

  test('is listed in several spans, and in one direction alone', () => {
    const pairs = new MorphologyPairs([
      { morphology: '9590/3', other: '9591/3', start: 2001, end: 2002 },
      { morphology: '9590/3', other: '9591/3', start: 2010 },
    ])
    expect([2002, 2005, 2010].map((year) => pairs.matches(one, other, year))).toEqual([
      true,
      false,
      true,
    ])
    expect(pairs.matches(other, one, 2010)).toBe(false)
    expect(pairs.matches(one, placeOf(9591, 1), 2010)).toBe(false)
  })
})

test('the first group that holds a histology counts, and ranges that run backwards hold nothing', () => {
  const tables = compileHematopoietic({
    rangePairs1998: [
      { low: '9590', high: '9591', sameLow: '9650', sameHigh: '9652', group: 'a' },
      { low: '9590', high: '9590', sameLow: '9761', sameHigh: '9760', group: 'b' },
    ],
    groups2001: [
      { number: 7, low: '9590', high: '9595', name: 'a' },
      { number: 8, low: '9595', high: '9596', name: 'b' },
    ],
    groupPairs2001: [[7, 8]],
    samePrimary2010: [],
    transformFrom2010: [],
    transformTo2010: [],
  })
  expect([9589, 9590, 9595, 9596, 9597].map(tables.groupOf2001)).toEqual([
    ...[undefined, 7, 7, 8, undefined],
  ])
  expect([tables.isSame2001(7, 8), tables.isSame2001(8, 7)]).toEqual([true, false])
  expect([9649, 9650, 9652, 9653, 9760, 9761].map((same) => tables.isSame1998(9590, same))).toEqual(
    [...[false, true, true, false, false, false]],
  )
  expect(tables.isSame1998(9592, 9650)).toBe(false)
})
