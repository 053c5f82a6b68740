import { describe, expect, test } from 'vitest'
import { Derivation } from '../../engine/registry/staging/algorithm/derive.ts'
import { findings } from '../../engine/registry/staging/algorithm/findings.ts'
import type { Mapping } from '../../engine/registry/staging/algorithm/model.ts'
import { schemaIssues, tableIssues } from '../../engine/registry/staging/algorithm/validate.ts'
import { atOnce } from '../../engine/shared/concurrency/at-once.ts'
import { available } from '../available.ts'
import { readAlgorithm } from './support/staging-vectors.ts'

// The numbers of schemas, tables and rows of each archive, by the table of ORIGIN.md and registry.md 5.
const PUBLISHED = [
  ['cs', [153, 1484, 82_745]],
  ['tnm', [153, 1363, 46_377]],
  ['eod_public', [141, 1059, 7_311]],
  ['pediatric', [33, 129, 2_029]],
  ['testing', [1, 62, 2_242]],
] as const

describe.skipIf(!available.shared).each(PUBLISHED)('the published %s', (name, counts) => {
  test('is read whole', async () => {
    const { algorithm, schemas, tables } = await readAlgorithm(name)
    const rows = [...tables.values()].reduce((sum, table) => sum + table.rows.length, 0)
    expect([algorithm, schemas.size, tables.size, rows]).toEqual([name, ...counts])
  })

  test('passes what a write is judged by, and refers to nothing that is missing', async () => {
    const content = await readAlgorithm(name)
    const issues = [
      ...[...content.schemas.values()].flatMap(schemaIssues),
      ...[...content.tables.values()].flatMap(tableIssues),
    ]
    expect([...issues, ...atOnce(findings(content))]).toEqual([])
  })

  test('has the derived members that its authors published', async () => {
    const { schemas, tables } = await readAlgorithm(name)
    const derivation = new Derivation(tables)
    for (const schema of schemas.values()) {
      const derived = derivation.completeSchema(schema)
      expect(asSets(derived.mappings), schema.id).toEqual(asSets(schema.mappings))
      expect(derived.involved_tables?.toSorted()).toEqual(schema.involved_tables?.toSorted())
      const keys = new Set(schema.inputs.map(({ key }) => key))
      expect(derivation.stagingInputs(schema).filter((key) => !keys.has(key))).toEqual([])
    }
    for (const table of tables.values()) {
      const { extra_input } = derivation.completeTable(table)
      expect(extra_input?.toSorted(), table.id).toEqual(table.extra_input?.toSorted())
    }
  })
})

/** Compares mappings as sets, because their order has no meaning. */
function asSets(mappings: readonly Mapping[] = []) {
  return mappings.map(({ inclusion_tables, exclusion_tables, tables }) =>
    [inclusion_tables, exclusion_tables, tables].map((paths = []) =>
      paths.map(({ id, inputs = [], outputs = [] }) => [id, inputs.toSorted(), outputs.toSorted()]),
    ),
  )
}
