import { describe, expect, test } from 'vitest'
import { readCodes, readingOf, readTyped } from './typed-code.ts'

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

  test('a two-digit year raises a question', () => {
    const read = readTyped('year', '20')
    expect(read.code).toBe('20')
    expect(readingOf('20', read)).toBe('write the year 20 with four digits: 1920 or 2020')
  })

  test('a remark says how a value was read if it was typed in another form', () => {
    expect(readingOf('C504', readTyped('site', 'C504'))).toBeUndefined()
    expect(readingOf('c50.4', readTyped('site', 'c50.4'))).toBe('c50.4 is read as C504')
    expect(readingOf('8500/3', readTyped('histology', '8500/3'))).toBe(
      '8500/3 is read as 8500 with behaviour 3',
    )
  })

  const KINDS = { hist: 'histology', behavior: 'behavior' } as const

  test('a behaviour typed with the histology fills the field of the form', () => {
    const { codes, questions } = readCodes({ hist: '8500/3', size: ' 35' }, KINDS)
    expect(codes).toEqual({ hist: '8500', behavior: '3', size: ' 35' })
    expect(questions).toEqual([])
    expect(readCodes({ hist: '8500/3', behavior: '/3' }, KINDS).questions).toEqual([])
  })

  test.each(['', ' '])(
    'an empty behaviour field, %j, is filled, whichever field comes first',
    (empty) => {
      const typed = { hist: '8500/3', behavior: empty }
      expect(readCodes(typed, KINDS).codes).toEqual({ hist: '8500', behavior: '3' })
      const kinds = { behavior: 'behavior', hist: 'histology' } as const
      expect(readCodes(typed, kinds).codes).toEqual({ hist: '8500', behavior: '3' })
    },
  )

  test('an empty behaviour field stays empty without a behaviour beside the histology', () => {
    const typed = { hist: '8500', behavior: ' / ' }
    expect(readCodes(typed, KINDS).codes).toEqual({ hist: '8500', behavior: '' })
  })

  test('a behaviour that differs from the field of the form raises a question', () => {
    expect(readCodes({ hist: '8500/3', behavior: '2' }, KINDS).questions).toEqual([
      '8500/3 says behaviour 3, and the form 2',
    ])
  })
})
