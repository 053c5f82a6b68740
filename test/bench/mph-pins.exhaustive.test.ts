import { describe, expect, test } from 'vitest'
import { answerText } from '../../bench/registry/mph/contests.ts'
import {
  byModule,
  countOutcomes,
  linesOf,
  readPairs,
  YEAR,
} from '../../bench/registry/mph/input.ts'
import { NaiveRules } from '../../bench/registry/mph/naive.ts'
import { PINS } from '../../bench/registry/mph/pins.ts'
import { piecesOf } from '../../bench/registry/staging/text.ts'
import { compareLine } from '../../engine/registry/multiple-primaries/compare-lines.ts'
import { comparePair } from '../../engine/registry/multiple-primaries/compare-pair.ts'
import { Rules } from '../../engine/registry/multiple-primaries/rules.ts'
import { shippedHematopoietic } from '../../engine/registry/multiple-primaries/shipped-hematopoietic.ts'
import { available } from '../available.ts'

// The benchmark measures nothing unless its pairs have the pinned numbers of outcomes, which were counted in the
// recorded answers. This test checks the same for every fiftieth pair.

const rules = new Rules({ hematopoietic: shippedHematopoietic(), yearNow: () => YEAR })

describe.skipIf(!available.shared)('pairs of the bench', () => {
  const naive = new NaiveRules(YEAR)

  test('come to the pinned outcomes, by the rules and by the peer', () => {
    const counts = countOutcomes(readPairs('test'), (pair) => comparePair(rules, pair))
    expect(counts).toEqual(PINS.test)
    expect(countOutcomes(readPairs('test'), (pair) => naive.compare(pair))).toEqual(PINS.test)
  })

  test('one that is judged otherwise is reported', () => {
    const other = { result: 'QUESTIONABLE', reason: '', applied_rules: [] } as const
    expect(() => countOutcomes(readPairs('test'), () => other)).toThrow('judged otherwise')
  })

  test('are of all modules', () => {
    const modules = byModule(readPairs('test'))
    expect([...modules.keys()].sort()).toEqual([...rules.groups(), 'none'].sort())
    expect([...modules.values()].flat()).toHaveLength(readPairs('test').length)
  })

  test('are answered as text as they are one by one', () => {
    const pairs = readPairs('test')
    const texts = piecesOf(Buffer.from(linesOf(pairs))).map((piece) =>
      answerText(piece, compareLine(rules)),
    )
    const lines = Buffer.concat(texts).toString().trimEnd().split('\n')
    const answers = lines.map((line) => {
      const { warnings: _, ...answer } = JSON.parse(line)
      return JSON.stringify(answer)
    })
    expect(answers).toEqual(pairs.map(({ pair }) => JSON.stringify(comparePair(rules, pair))))
  })
})
