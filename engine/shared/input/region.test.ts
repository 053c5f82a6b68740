import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { atOnce } from '../concurrency/at-once.ts'
import { EngineError } from '../errors.ts'
import {
  chromosomeSpellings,
  mergeIntervals,
  type NamedInterval,
  parseNamedRegion,
  parseRegion,
  referenceOfChromosome,
} from './region.ts'

const refusal = (read: () => unknown) => {
  try {
    read()
  } catch (error) {
    if (error instanceof EngineError) return { code: error.code, at: error.at }
    throw error
  }
  return undefined
}

const REFUSED = { code: 'bad_region', at: 'regions[3]' }

describe('a region', () => {
  test.each([
    ['chr1', 0, Infinity],
    ['chr1:', 0, Infinity],
    ['chr1:100', 99, Infinity],
    ['chr1:100-200', 99, 200],
    ['chr1:-9', 0, 9],
    ['chr1:5-5', 4, 5],
    // samtools 1.16.1: `samtools view x.bam chr1:0-5` gives the reads of chr1:1-5.
    ['chr1:0', 0, Infinity],
    ['chr1:0-5', 0, 5],
    ['chr1:000100-000200', 99, 200],
    ['chr1:0-1', 0, 1],
  ])('%s is [%d, %d), 0-based half-open', (text, start, end) => {
    expect(parseRegion(text, 'regions[3]')).toEqual({ reference: 'chr1', start, end })
  })

  test.each([
    [
      '',
      ' ',
      'chr1:-',
      'chr1:100-',
      'chr1:1,000',
      'chr1:1-2-3',
      'chr1::5',
      ':5',
      'chr1: 5',
      ' chr1',
    ],
    ['chr1\n', 'chr1:5\n', 'chr1:+5', 'chr1:-5-9', 'chr1:5e3', 'chr1:0x10', 'chr1:5.0', 'chr1-5'],
    ['chr1_KI270706v1_random', 'HLA-A*01:01:01:01', 'chrUn_1', 'é', 'chr1:٣', 'a:b', '*', '.'],
    ['chr1:5-4', 'chr1:-0', 'chr1:0-0', 'chr1:200-100', '8:2-1'],
  ])('%j and the like are refused', (...texts) => {
    for (const text of texts) {
      expect(
        refusal(() => parseRegion(text, 'regions[3]')),
        text,
      ).toEqual(REFUSED)
    }
  })

  test('is unmapped reads by that very word only', () => {
    expect(parseRegion('unmapped', 'x')).toBe('unmapped')
    expect(parseRegion('Unmapped', 'x')).toMatchObject({ reference: 'Unmapped' })
    expect(parseRegion('unmapped:1-5', 'x')).toMatchObject({ reference: 'unmapped', start: 0 })
  })

  test('may have numbers of any length; those behind every position are cut to the last', () => {
    const last = 2 ** 53 - 1
    for (const digits of ['9007199254740992', '9007199254740993', '9'.repeat(400)]) {
      expect(parseRegion(`chr1:${digits}`, 'x')).toMatchObject({ start: last - 1, end: Infinity })
      expect(parseRegion(`chr1:7-${digits}`, 'x')).toMatchObject({ start: 6, end: last })
      expect(parseRegion(`chr1:${digits}-${digits}`, 'x')).toMatchObject({
        start: last - 1,
        end: last,
      })
      expect(refusal(() => parseRegion(`chr1:${digits}-5`, 'regions[3]'))).toEqual(REFUSED)
    }
    expect(refusal(() => parseRegion('chr1:5000000000-4000000000', 'regions[3]'))).toEqual(REFUSED)
  })

  // The pattern is that of data-commons-service.md 4.5, rule 1.
  const SEED = /^[a-zA-Z0-9]+(:([0-9]+)?(-[0-9]+)?)?$/

  test('is read exactly when the expression of the service description matches and it is not reversed', () => {
    const part = fc.constantFrom('chr1', '8', ':', '-', '0', '5', '17', '1000', '_', '*', ' ', ',')
    const property = fc.property(fc.array(part, { maxLength: 7 }), (parts) => {
      const text = parts.join('')
      const failure = refusal(() => parseRegion(text, 'regions[3]'))
      const numbers = /:([0-9]*)-([0-9]+)$/.exec(text)
      const reversed = numbers && Number(numbers[2]) < Math.max(Number(numbers[1] || 1), 1)
      expect(failure).toEqual(SEED.test(text) && !reversed ? undefined : REFUSED)
    })
    fc.assert(property, { seed: 3, numRuns: depth(1_000, 5000) })
  })

  test('comes back from its text', () => {
    const position = fc.integer({ min: 0, max: 2 ** 31 - 3 })
    const property = fc.property(position, position, (a, b) => {
      const [start, end] = [Math.min(a, b), Math.max(a, b) + 1]
      const text = `chr1:${start + 1}-${end}`
      expect(parseRegion(text, 'x')).toEqual({ reference: 'chr1', start, end })
    })
    fc.assert(property, { seed: 4 })
  })

  test('that is refused is not repeated in full', () => {
    const long = `${'x'.repeat(1_000_000)}:`
    expect(() => parseRegion(`${long}?`, 'x')).toThrow(/^region "x{77}\.\.\." is malformed/)
  })
})

describe('a region of the command line', () => {
  const names = new Set(['chr1', 'HLA-A*01:01', 'HLA-A*01:01:01', 'a:1-5', 'unmapped'])

  test.each([
    ['HLA-A*01:01', { reference: 'HLA-A*01:01', start: 0, end: Infinity }],
    ['HLA-A*01:01:01', { reference: 'HLA-A*01:01:01', start: 0, end: Infinity }],
    ['HLA-A*01:01:7-9', { reference: 'HLA-A*01:01', start: 6, end: 9 }],
    ['chr1:1,000-2,000', { reference: 'chr1', start: 999, end: 2000 }],
    ['a:1-5', { reference: 'a:1-5', start: 0, end: Infinity }],
    ['a:1-5:2-3', { reference: 'a:1-5', start: 1, end: 3 }],
    ['unmapped', { reference: 'unmapped', start: 0, end: Infinity }],
    ['*', 'unmapped'],
  ])('%s is read by the names of the file', (text, expected) => {
    expect(parseNamedRegion(text, names, 'x')).toEqual(expected)
  })

  test.each(['chr2', 'chr1:x', ':5', 'chr1:9-5', ''])('%j is refused', (text) => {
    expect(refusal(() => parseNamedRegion(text, names, 'regions[3]'))).toEqual(REFUSED)
  })

  test.each([
    ['17:5-9', 'chr17'],
    ['17', 'chr17'],
    ['MT:1', 'chrM'],
    ['Chr17', 'chr17'],
  ])('%j is reported with the reference that was meant', (text, meant) => {
    const references = new Set(['chr17', 'chrM'])
    expect(() => parseNamedRegion(text, references, 'x')).toThrow(`; did you mean "${meant}"?`)
  })

  test('one that is like none is reported without another', () => {
    expect(() => parseNamedRegion('xyzzy:1-5', new Set(['chr17']), 'x')).toThrow(/ or unmapped$/)
  })
})

describe('merged intervals', () => {
  const numberOf = new Map([
    ['b', 0],
    ['a', 1],
  ])

  test('are in file order, apart from each other, and unknown names are left out', () => {
    const intervals: NamedInterval[] = [
      { reference: 'a', start: 5, end: 9 },
      { reference: 'c', start: 0, end: 9 },
      { reference: 'b', start: 40, end: Infinity },
      { reference: 'a', start: 9, end: 12 },
      { reference: 'a', start: 6, end: 7 },
      { reference: 'a', start: 13, end: 14 },
      { reference: 'b', start: 50, end: 60 },
    ]
    expect([...atOnce(mergeIntervals(intervals, numberOf))]).toEqual([
      { reference: 0, start: 40, end: Infinity },
      { reference: 1, start: 5, end: 12 },
      { reference: 1, start: 13, end: 14 },
    ])
  })

  test('that touch stay apart where a record may cover nothing', () => {
    const intervals: NamedInterval[] = [
      { reference: 'a', start: 5, end: 9 },
      { reference: 'a', start: 9, end: 12 },
      { reference: 'a', start: 11, end: 14 },
    ]
    expect([...atOnce(mergeIntervals(intervals, numberOf, true))]).toEqual([
      { reference: 1, start: 5, end: 9 },
      { reference: 1, start: 9, end: 14 },
    ])
  })

  test('cover the positions of their parts and no others, and never touch', () => {
    const interval = fc
      .record({
        reference: fc.constantFrom('a', 'b', 'c'),
        start: fc.nat(60),
        length: fc.integer({ min: 1, max: 20 }),
      })
      .map(({ reference, start, length }) => ({ reference, start, end: start + length }))
    const property = fc.property(fc.array(interval, { maxLength: 12 }), (intervals) => {
      const merged = [...atOnce(mergeIntervals(intervals, numberOf))]
      for (const [name, number] of numberOf) {
        for (let position = 0; position < 90; position++) {
          const wanted = intervals.some(
            ({ reference, start, end }) =>
              reference === name && start <= position && position < end,
          )
          const covers = merged.filter(
            ({ reference, start, end }) =>
              reference === number && start <= position && position < end,
          )
          expect(covers.length).toBe(wanted ? 1 : 0)
        }
      }
      for (const [i, { reference, start }] of merged.entries()) {
        const before = merged[i - 1]
        if (!before) continue
        expect(reference > before.reference || start > before.end).toBe(true)
      }
      expect([...atOnce(mergeIntervals(intervals.toReversed(), numberOf))]).toEqual(merged)
    })
    fc.assert(property, { seed: 5, numRuns: depth(60, 300) })
  })

  test('touch only where no given interval has both positions, if a record may cover nothing', () => {
    const interval = fc
      .record({ start: fc.nat(40), length: fc.integer({ min: 1, max: 9 }) })
      .map(({ start, length }) => ({ reference: 'a', start, end: start + length }))
    const property = fc.property(fc.array(interval, { maxLength: 12 }), (intervals) => {
      const merged = [...atOnce(mergeIntervals(intervals, numberOf, true))]
      const isTogether = (some: readonly { start: number; end: number }[], position: number) =>
        some.some(({ start, end }) => start <= position && position + 1 < end)
      for (let position = 0; position < 60; position++) {
        expect(isTogether(merged, position)).toBe(isTogether(intervals, position))
      }
    })
    fc.assert(property, { seed: 7, numRuns: depth(60, 300) })
  })

  test('are looked at few at a time', () => {
    let looked = 0
    const each = function* (): Generator<NamedInterval> {
      for (let i = 100_000; i > 0; i--) {
        looked++
        yield { reference: i % 2 ? 'a' : 'b', start: i * 10, end: i * 10 + 5 }
      }
    }
    const steps = mergeIntervals(each(), numberOf)
    let most = 0
    let count = 0
    for (let before = 0; !steps.next().done; before = looked) {
      most = Math.max(most, looked - before)
      count++
    }
    expect(looked).toBe(100_000)
    expect(most).toBeLessThanOrEqual(1024)
    // Reading the intervals takes about 98 steps, and merging them as many.
    expect(count).toBeGreaterThan(180)
  })

  test('of a hundred thousand copies are one', () => {
    const copies = Array.from({ length: 100_000 }, () => ({ reference: 'a', start: 1, end: 2 }))
    expect([...atOnce(mergeIntervals(copies, numberOf))]).toEqual([
      { reference: 1, start: 1, end: 2 },
    ])
  })
})

describe('the chromosome of a gene', () => {
  test.each([
    ['chr17', ['chr17', '17']],
    ['17', ['17', 'chr17']],
    ['chrM', ['chrM', 'M', 'MT']],
    ['MT', ['MT', 'chrMT', 'chrM', 'M']],
  ])('%s is looked for as %o', (chromosome, spellings) => {
    expect(chromosomeSpellings(chromosome)).toEqual(spellings)
  })

  test('is the first spelling that the file has', () => {
    const numberOf = new Map([['17', 0]])
    expect(referenceOfChromosome('chr17', numberOf)).toBe('17')
    expect(referenceOfChromosome('chr18', numberOf)).toBe(undefined)
  })
})
