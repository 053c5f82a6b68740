import { describe, expect, test } from 'vitest'
import { comparePair } from '../../engine/registry/multiple-primaries/compare-pair.ts'
import { Rules } from '../../engine/registry/multiple-primaries/rules.ts'
import { shippedHematopoietic } from '../../engine/registry/multiple-primaries/shipped-hematopoietic.ts'
import { parsePair } from '../../engine/registry/multiple-primaries/tumour.ts'
import { available } from '../available.ts'
import { readMphVectors } from './support/mph-vectors.ts'
import { tally, tell } from './support/staging-vectors.ts'

// The number of rows of each file, by `zcat FILE | wc -l`.
const FILES: Readonly<Record<string, number>> = {
  unit: 543,
  'csv-2000-2022': 7433,
  'peer-random': 45121,
}

describe.skipIf(!available.shared)('recorded comparisons of two tumors', () => {
  const rules = new Rules({ hematopoietic: shippedHematopoietic(), yearNow: () => 2026 })

  test.each(Object.entries(FILES))('all of %s agree', (file, count) => {
    const counted = tally(readMphVectors(file), (vector) => {
      const { result, group_id, step, applied_rules } = comparePair(rules, parsePair(vector))
      const told = {
        result,
        group_id: group_id ?? null,
        step: step ?? null,
        applied_steps: applied_rules.map((rule) => rule.step),
      }
      return JSON.stringify(told) === JSON.stringify(vector.expected) || told
    })
    tell(`multiple primaries: ${file}`, counted)
    expect(counted).toEqual({ rows: count, agreed: count })
  })
})
