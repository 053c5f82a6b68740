import { describe, expect, test } from 'vitest'
import { foldText, LONGEST_QUERY, MAX_QUERY_WORDS, queryWords, wordsOf } from './words.ts'

const wordsIn = (text: string) =>
  wordsOf(text).map(({ text: word, parts }) => [word, ...parts].join(' '))

describe('words', () => {
  test.each([
    ['Imatinib MESYLATE', ['imatinib', 'mesylate']],
    ['Sjögren, Ménétrier (Ｆｕｌｌ)', ['sjogren', 'menetrier', 'full']],
    ['İZMİR İ', ['izmir', 'i']],
    ['non-small cell', ['non', 'small', 'cell']],
    ['NDC 0002-3227', ['ndc', '0002-3227 0002 3227']],
    ['9840/3, C42.1.', ['9840/3 9840 3', 'c42.1 c42 1']],
    ['alfa-2b', ['alfa-2b alfa 2b']],
    ['-a--b_c-', ['a', 'b', 'c']],
    ['10 mg/1', ['10', 'mg/1 mg 1']],
    ['急性 лейкоз ΟΞΥ', ['急性', 'леикоз', 'οξυ']],
    ['', []],
    ['--- ,', []],
  ])('of %j are folded runs of letters and digits, and codes with their parts', (text, words) => {
    expect(wordsIn(text)).toEqual(words)
  })

  test('that are long count by their beginning, which ends with a whole character', () => {
    expect(wordsIn('x'.repeat(100))).toEqual(['x'.repeat(64)])
    expect(wordsIn(`${'x'.repeat(63)}\u{20000}`)).toEqual(['x'.repeat(63)])
  })
})

test('folding what is folded changes nothing', () => {
  for (const text of ['Ménétrier', 'İ', 'ﬁ', '℃', 'Å', 'ǅ', 'ß', '１２']) {
    expect(foldText(foldText(text))).toBe(foldText(text))
    expect(foldText(text.normalize('NFD'))).toBe(foldText(text.normalize('NFC')))
  }
})

describe('a query', () => {
  test('has each word once', () => {
    expect(queryWords('Abt abt ABT-737 abt-737').map(({ text }) => text)).toEqual([
      'abt',
      'abt-737',
    ])
  })

  test('may be as long as its limits and no longer', () => {
    const words = Array.from({ length: MAX_QUERY_WORDS + 1 }, (_, i) => `w${i}`)
    expect(queryWords(words.slice(1).join(' '))).toHaveLength(MAX_QUERY_WORDS)
    expect(() => queryWords(words.join(' '))).toThrow(
      expect.objectContaining({
        code: 'bad_input',
        message: 'the query has 33 words; at most 32 words are accepted',
        at: 'q',
      }),
    )
    expect(() => queryWords(words.join('-'))).toThrow('at most 32 words')
    expect(queryWords('x'.repeat(LONGEST_QUERY))).toHaveLength(1)
    expect(() => queryWords('x'.repeat(LONGEST_QUERY + 1))).toThrow(
      'the query has 1001 characters; at most 1000 characters are accepted',
    )
  })
})
