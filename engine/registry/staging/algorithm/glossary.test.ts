import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { depth } from '../../../../test/depth.ts'
import { Glossary, joinMatches, textsOfSchema, textsOfTable } from './glossary.ts'
import { KeywordIndex } from './keyword-index.ts'
import { parseTable } from './parse.ts'
import { madeSchema } from './support/made-version.ts'

const TERMS = [
  { id: '1', name: 'Lymph node', alternate_names: ['node', 'LYMPH NODE', ''] },
  { id: '2', name: 'cell', category: ['GENERAL'] },
  { id: '3', name: 'Stem cell', category: ['HEMATO', 'GENERAL'] },
]
const GLOSSARY = new Glossary(TERMS)

const matchesIn = (text: string, request = {}) =>
  GLOSSARY.search([text], request).map(({ id, keyword, start, end }) => [id, keyword, start, end])

describe('a search', () => {
  test('finds names in any case, one within the other, the end being the last character', () => {
    expect(matchesIn('A stem CELL, lymph node')).toEqual([
      ['3', 'Stem cell', 2, 10],
      ['2', 'cell', 7, 10],
      ['1', 'Lymph node', 13, 22],
      ['1', 'node', 19, 22],
    ])
  })

  test.each([
    ['cells', 0],
    ['xcell', 0],
    ['cell2', 0],
    ['cellé', 0],
    ['cell\u{1d7d8}', 0],
    ['\u{1d7d8}cell', 0],
    ['(cell)', 1],
    ['cell-cell', 2],
  ])('of whole words in %j has %i hits', (text, count) => {
    expect(matchesIn(text)).toHaveLength(count)
  })

  test('of parts of words finds all', () => {
    expect(matchesIn('nodes, xcells', { wholeWordsOnly: false })).toEqual([
      ['1', 'node', 0, 3],
      ['2', 'cell', 8, 11],
    ])
  })

  test('by category leaves out the others; a term without one is of STAGING', () => {
    const ids = (...categories: string[]) =>
      GLOSSARY.search(['stem cell node'], { categories: new Set(categories) }).map(({ id }) => id)
    expect(ids('STAGING')).toEqual(['1'])
    expect(ids('HEMATO')).toEqual(['3'])
    expect(ids('STAGING', 'GENERAL')).toEqual(['3', '2', '1'])
  })

  test('of several texts keeps their offsets, equal hits once', () => {
    const matches = GLOSSARY.search(['cell', 'a cell', 'cell'])
    expect(matches).toStrictEqual([
      { id: '2', name: 'cell', keyword: 'cell', category: ['GENERAL'], start: 0, end: 3 },
      { id: '2', name: 'cell', keyword: 'cell', category: ['GENERAL'], start: 2, end: 5 },
    ])
  })
})

test('matches of several glossaries are joined by place, that of the first where they are equal', () => {
  const match = (id: string, start: number, name = 'node') => {
    return { id, name, keyword: 'node', start, end: start + 3 }
  }
  const joined = joinMatches([
    [match('b', 0), match('b', 9, 'of the first')],
    [match('a', 0), match('c', 4), match('b', 9, 'of the second')],
  ])
  expect(joined).toEqual([
    ...[match('a', 0), match('b', 0), match('c', 4)],
    match('b', 9, 'of the first'),
  ])
})

describe('a search in steps', () => {
  test('leaves a pause after some thousand characters', () => {
    const steps = GLOSSARY.searchInSteps([`cell ${'x'.repeat(50_000)} cell`])
    let pauses = 0
    let step = steps.next()
    for (; !step.done; step = steps.next()) pauses++
    expect(pauses).toBe(12)
    expect(step.value.map(({ start }) => start)).toEqual([0, 50_006])
  })

  test('ends with the first match that is too many', () => {
    const most = (count: number) => GLOSSARY.search(['cell '.repeat(9)], { most: count })
    expect(most(3)).toHaveLength(4)
    expect(most(9)).toHaveLength(9)
    const request = { categories: new Set(['GENERAL']), most: 1 }
    expect(GLOSSARY.search(['node node node cell'], request)).toHaveLength(1)
  })

  test('is refused where nobody would read all matches', async () => {
    expect(await GLOSSARY.find(['cell '.repeat(100_000)])).toHaveLength(100_000)
    const many = GLOSSARY.find(['cell '.repeat(100_001)])
    await expect(many).rejects.toMatchObject({ code: 'too_many' })
  })
})

test('all hits are found that a search word by word finds', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'İ', ' '), maxLength: 4 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'İ', ' '), maxLength: 30 })
  // Code units whose lower case is longer are compared unchanged.
  const folded = (one: string) => one.replace(/[AB]/g, (unit) => unit.toLowerCase())
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), text, (words, searched) => {
      const index = new KeywordIndex(words.map((one, term) => ({ text: one, term })))
      const found = index.find(searched, { wholeWordsOnly: false })
      const wanted = words.flatMap((one, term) =>
        [...searched].flatMap((_unit, start) =>
          one !== '' && folded(searched).startsWith(folded(one), start)
            ? [{ text: one, term, start, end: start + one.length - 1 }]
            : [],
        ),
      )
      expect(new Set(found.map((hit) => JSON.stringify([hit.term, hit.start, hit.end])))).toEqual(
        new Set(wanted.map((hit) => JSON.stringify([hit.term, hit.start, hit.end]))),
      )
      expect(found).toHaveLength(wanted.length)
    }),
    { seed: 6, numRuns: depth(100, 500) },
  )
})

test('the texts of a schema and of a table are those that a person reads', () => {
  const schema = madeSchema({ name: 'n', title: 't', subtitle: 's', description: 'd', notes: 'o' })
  expect(textsOfSchema(schema)).toEqual(['n', 't', 'd', 's', 'o'])
  const table = parseTable({
    id: 'x',
    name: 'n',
    footnotes: 'f',
    rationale: 'r',
    additional_info: 'a',
    coding_guidelines: 'c',
    definition: [{ key: 'a', type: 'INPUT' }, { type: 'DESCRIPTION' }],
    rows: [
      ['1', 'one'],
      ['2', 'two'],
    ],
  })
  expect(textsOfTable(table)).toEqual(['n', 'f', 'r', 'a', 'c', 'one', 'two'])
})
