import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { parseCondition } from '../../rules/condition.ts'
import type { StagingSchema, StagingTable, VersionContent } from '../algorithm/model.ts'
import { proposedConversion } from './proposed-conversion.ts'

/** Returns a version with one schema, whose selection table has these rows of sites and histologies. */
function version(name: string, rows: StagingTable['rows']): VersionContent {
  const definition = ['site', 'hist'].map((key) => ({ key, name: key, type: 'INPUT' }))
  const table = { id: 'selection', name: 'selection', definition, rows } as unknown as StagingTable
  const schema = {
    id: 'made',
    name: 'made',
    schema_selection_table: 'selection',
    inputs: [],
  } as unknown as StagingSchema
  return {
    algorithm: 'made',
    version: name,
    schemas: new Map([['made', schema]]),
    tables: new Map([['selection', table]]),
    glossary: new Map(),
  }
}

/** Returns the conditions of the rules that are proposed between two selections. */
async function conditions(before: StagingTable['rows'], after: StagingTable['rows']) {
  const turns = new LoopTurns()
  const { body } = proposedConversion(version('1.0', before), version('2.0', after), turns)
  return [...(await text(body)).matchAll(/^when: (.*)$/gm)].map(([, when = '']) => when)
}

const SITES = [['C500-C509', '8500,8520']]

test('a condition that is proposed for another selection can be read', async () => {
  const proposed = await conditions(SITES, [['C500-C508', '8500']])
  expect(proposed).toEqual([
    '(primarySite in (C500-C509) and histologicTypeIcdO3 in (8500, 8520)) and not ' +
      '(primarySite in (C500-C508) and histologicTypeIcdO3 in (8500))',
  ])
  const wrong = (at: number, message: string) => new Error(`${at}: ${message}`)
  for (const when of proposed) expect(() => parseCondition(when, wrong as never)).not.toThrow()
})

test.each(['c50', 'C50/9', '{{site}}', 'C500-C50x', ''])(
  'no rule is proposed for a selection with the code %j, which rules cannot name',
  async (code) => {
    expect(await conditions(SITES, [[code, '8500']])).toEqual([])
    expect(await conditions([[code, '8500']], SITES)).toEqual([])
  },
)
