import { expect, test } from 'vitest'
import { primarySite, primarySites, SITE_CATEGORIES } from './sites.ts'

test('there are 330 sites, ascending, each with a label of its own', () => {
  const sites = primarySites()
  // The published staging algorithms have the same number of sites (registry.md 5).
  expect(sites).toHaveLength(330)
  const codes = sites.map(({ value }) => value)
  expect(codes).toEqual(codes.toSorted())
  expect(codes.every((code) => /^C\d{3}$/.test(code))).toBe(true)
  expect(new Set(sites.map(({ label }) => label)).size).toBe(330)
})

test('a site is found by its code', () => {
  expect(primarySites()[0]).toEqual({ value: 'C000', label: 'External upper lip' })
  expect(primarySite('C021')).toEqual([{ value: 'C021', label: 'Border of tongue' }])
  for (const code of ['C007', 'C02', 'c021', '', '__proto__', 'toString']) {
    expect(() => primarySite(code)).toThrow(expect.objectContaining({ code: 'not_found' }))
  }
})

test('every site is in exactly one category, and every range begins and ends at a site', () => {
  const codes = primarySites().map(({ value }) => value)
  for (const code of codes) {
    const holding = SITE_CATEGORIES.filter(({ sites }) =>
      sites.some(({ low, high }) => low <= code && code <= high),
    )
    expect({ code, in: holding.length }).toEqual({ code, in: 1 })
  }
  const ends = SITE_CATEGORIES.flatMap(({ sites }) => sites.flatMap(({ low, high }) => [low, high]))
  expect(ends.filter((end) => !codes.includes(end))).toEqual([])
})
