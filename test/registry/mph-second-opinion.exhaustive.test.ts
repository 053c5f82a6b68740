import { describe, expect, test } from 'vitest'
import { NaiveRules } from '../../bench/registry/mph/naive.ts'
import { comparePair } from '../../engine/registry/multiple-primaries/compare-pair.ts'
import { GROUPS } from '../../engine/registry/multiple-primaries/groups.ts'
import { Rules } from '../../engine/registry/multiple-primaries/rules.ts'
import { shippedHematopoietic } from '../../engine/registry/multiple-primaries/shipped-hematopoietic.ts'
import { randomPairs } from '../../engine/registry/multiple-primaries/support/random-pairs.ts'
import { available } from '../available.ts'

// The rules agree with the benchmark's peer, which was written independently from the same text and reads the
// published tables. Differences that no recorded pair shows would appear here.

const PAIRS = 1000

describe.skipIf(!available.shared)('a second opinion', () => {
  const rules = new Rules({ hematopoietic: shippedHematopoietic(), yearNow: () => 2026 })
  const naive = new NaiveRules(2026)

  test.each(GROUPS.map((group) => [group.id, group] as const))(
    `agrees on ${PAIRS} random pairs of %s`,
    (_, group) => {
      const next = randomPairs(group, 38)
      for (let i = 0; i < PAIRS; i++) {
        const pair = next()
        const { result, group_id, step, applied_rules } = comparePair(rules, pair)
        const other = naive.compare(pair)
        const told = { result, group_id, step, steps: stepsOf(applied_rules) }
        const { result: wanted, applied_rules: asked } = other
        expect({ pair, told }).toEqual({
          pair,
          told: {
            result: wanted,
            group_id: other.group_id,
            step: other.step,
            steps: stepsOf(asked),
          },
        })
      }
    },
  )
})

const stepsOf = (rules: readonly { readonly step: string }[]) => rules.map(({ step }) => step)
