import { describe, expect, test } from 'vitest'
import { readingOf, readTyped } from './typed-code.ts'

// ICD-O-3 prints a site as C50.4 and a morphology as 8500/3 or M-8500/3; registries store C504, 8500 and 3.

describe('codes as people type them', () => {
  test.each([
    ['site', 'C50.4', { code: 'C504' }],
    ['site', ' c50.4 ', { code: 'C504' }],
    ['site', 'c504', { code: 'C504' }],
    ['site', '50.4', { code: 'C504' }],
    ['site', 'C50', { code: 'C50' }],
    ['site', 'C50.45', { code: 'C50.45' }],
    ['site', 'breast', { code: 'BREAST' }],
    ['histology', '8500/3', { code: '8500', behavior: '3' }],
    ['histology', 'M-8500/3', { code: '8500', behavior: '3' }],
    ['histology', 'm8500', { code: '8500' }],
    ['histology', ' 8500 ', { code: '8500' }],
    ['histology', '8500/', { code: '8500/' }],
    ['histology', '85003', { code: '85003' }],
    ['behavior', '/3', { code: '3' }],
    ['behavior', ' 2', { code: '2' }],
    ['year', '2020', { code: '2020' }],
    ['code', ' b2 ', { code: 'b2' }],
  ] as const)('%s %j', (kind, text, read) => {
    expect(readTyped(kind, text)).toEqual(read)
  })

  test('a year of two digits is asked back, not guessed', () => {
    const read = readTyped('year', '20')
    expect(read.code).toBe('20')
    expect(readingOf('20', read)).toBe('write the year 20 with four digits: 1920 or 2020')
  })

  test('what was read is said where it differs from what was typed', () => {
    expect(readingOf('C504', readTyped('site', 'C504'))).toBeUndefined()
    expect(readingOf('c50.4', readTyped('site', 'c50.4'))).toBe('c50.4 is read as C504')
    expect(readingOf('8500/3', readTyped('histology', '8500/3'))).toBe(
      '8500/3 is read as 8500 with behaviour 3',
    )
  })
})
