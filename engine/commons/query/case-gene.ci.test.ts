import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { membersOf } from '../../shared/arrays/bitset.ts'
import { type Root, resolverOf } from '../datasets/case-gene.ts'
import { arraysOf } from '../release/arrays.ts'
import type { Release } from '../release/release.ts'
import { parseFilterOn } from './filter.ts'
import { keysOfFilter } from './keys.ts'
import { selectRows } from './select.ts'
import { bitsOf } from './selection.ts'
import { builtRelease } from './support/built-release.ts'
import { FIELDS, mutatedCommons, seenFrom } from './support/mutated-commons.ts'
import { Oracle, type Written } from './support/oracle.ts'
import { Dice, randomFilter } from './support/random-commons.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-pairs-'))
})
afterAll(() => rm(folder, { recursive: true }))

const TABLES = { pair: 'case_genes', case: 'cases', gene: 'genes' } as const

describe.each(['pair', 'case', 'gene'] as const)('filters of a %s', (root) => {
  test('select the pairs of the specification, over documents that nest cases, genes and mutations', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const dice = new Dice(seed)
      const documents = mutatedCommons(dice, 4 + dice.below(20))
      const release = await builtRelease(folder, documents, `${root}-${seed}`)
      const { view, documents: nested } = seenFrom(root, documents)
      const oracle = new Oracle(view, nested)
      expect(nested.length).toBeGreaterThan(0)
      for (let i = 0; i < 120; i++) {
        const written = randomFilter(dice, FIELDS[root])
        const rows = await passing(release, root, written)
        const seen = { seed, i, written: JSON.stringify(written), rows }
        expect(seen).toEqual({ ...seen, rows: oracle.rows(written) })
      }
      await release.close()
    }
  })
})

test('a mutation is found through its case although its gene has no record', async () => {
  const release = await builtRelease(
    folder,
    {
      cases: [{ case_id: 'a' }, { case_id: 'b' }],
      ssms: [{ ssm_id: 's', consequence: [{ transcript: { gene: { symbol: 'TP53' } } }] }],
      ssm_occurrences: [{ ssm_occurrence_id: 'o', ssm: { ssm_id: 's' }, case: { case_id: 'b' } }],
    },
    'no-genes',
  )
  const field = 'ssms.consequence.transcript.gene.symbol'
  expect(await passing(release, 'case', { op: '=', content: { field, value: 'TP53' } })).toEqual([
    1,
  ])
  expect(await passing(release, 'case', { op: '=', content: { field, value: 'KRAS' } })).toEqual([])
  await release.close()
})

async function passing(release: Release, root: Root, written: Written): Promise<number[]> {
  const bare = root === 'gene' ? 'gene' : 'case'
  const filter = parseFilterOn(root, resolverOf(root, bare), written)
  const arrays = arraysOf(await release.load(keysOfFilter(filter)))
  const { rows } = selectRows(TABLES[root], filter, [], arrays)
  return [...membersOf(bitsOf(rows), 0, rows.count)]
}
