import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Root, resolverOf } from '../datasets/case-gene.ts'
import type { DatasetName } from '../datasets/define.ts'
import { inlineExecutor } from '../executor.ts'
import { arraysOf } from '../release/arrays.ts'
import { buildRelease } from '../release/build.ts'
import { Release } from '../release/release.ts'
import { writeSources } from '../release/support/documents.ts'
import { membersOf } from './bitset.ts'
import { parseFilterOn } from './filter.ts'
import { keysOfFilter } from './keys.ts'
import { selectRows } from './select.ts'
import { bitsOf } from './selection.ts'
import { compareUtf8, type Json } from './support/memory-release.ts'
import { mutatedCommons, naiveCentric, naivePairs, PAIR_VIEW } from './support/mutated-commons.ts'
import { Oracle, type Written } from './support/oracle.ts'
import { Dice, randomFilter } from './support/random-commons.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-pairs-'))
})
afterAll(() => rm(folder, { recursive: true }))

const ID_FIELDS: Partial<Record<DatasetName, string>> = {
  ...{ projects: 'project_id', cases: 'case_id', genes: 'gene_id', ssms: 'ssm_id' },
  ...{ ssm_occurrences: 'ssm_occurrence_id', cnvs: 'cnv_id', cnv_occurrences: 'cnv_occurrence_id' },
}

async function build(documents: Partial<Record<DatasetName, readonly Json[]>>, id: string) {
  const ordered = Object.entries(documents).map(([name, records]) => {
    const field = ID_FIELDS[name as DatasetName] ?? ''
    return [name, records.toSorted((a, b) => compareUtf8(String(a[field]), String(b[field])))]
  })
  const sources = await writeSources(folder, Object.fromEntries(ordered))
  const facts = {
    dataRelease: 'Data Release 1.0',
    version: { major: 1, minor: 0, releaseDate: '2026-01-02' },
    ...{ createdAt: '2026-01-02T03:04:05.678Z', id },
  }
  await buildRelease({ folder, sources, facts, executor: inlineExecutor })
  return Release.open(join(folder, id))
}

const CASE = [
  ...[
    'case_id',
    'disease_type',
    'project.project_id',
    'project.primary_site',
    'demographic.gender',
  ],
  ...['diagnoses.morphology', 'diagnoses.age_at_diagnosis', 'available_variation_data'],
]
const GENE = ['gene_id', 'symbol', 'biotype', 'transcripts.name', 'transcripts.length']
const MUTATION = [
  ...['ssm.ssm_id', 'ssm.chromosome', 'ssm.start_position', 'ssm.observation.center'],
  ...['ssm.observation.variant_calling.variant_caller', 'ssm.consequence.transcript.gene.symbol'],
  ...['ssm.consequence.transcript.consequence_type', 'ssm.consequence.transcript.is_canonical'],
  'ssm.consequence.transcript.annotation.vep_impact',
  'ssm.consequence.transcript.annotation.sift_score',
  ...['cnv.cnv_id', 'cnv.cnv_change', 'cnv.variant_status', 'cnv.observation.src_file_id'],
  'cnv.consequence.gene.symbol',
]
const under = (prefix: string, names: readonly string[]) => names.map((name) => `${prefix}.${name}`)

/** Fields by how each root calls them in documents. */
const FIELDS: Readonly<Record<Root, readonly string[]>> = {
  pair: [...under('case', CASE), ...under('gene', GENE), ...MUTATION, ...MUTATION],
  case: [...CASE, ...under('gene', [...GENE, ...MUTATION, ...MUTATION])],
  gene: [...GENE, ...under('case', [...CASE, ...MUTATION, ...MUTATION])],
}

const TABLES = { pair: 'case_genes', case: 'cases', gene: 'genes' } as const

describe.each(['pair', 'case', 'gene'] as const)('filters of a %s', (root) => {
  test('pass what the contract says on documents that nest cases, genes and mutations', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const dice = new Dice(seed)
      const documents = mutatedCommons(dice, 4 + dice.below(20))
      const release = await build(documents, `${root}-${seed}`)
      const { view, documents: nested } =
        root === 'pair'
          ? {
              view: PAIR_VIEW,
              documents: naivePairs(documents) as readonly Json[] & readonly object[],
            }
          : naiveCentric(root, documents)
      const oracle = new Oracle(view, nested as readonly Json[])
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

async function passing(release: Release, root: Root, written: Written): Promise<number[]> {
  const bare = root === 'gene' ? 'gene' : 'case'
  const filter = parseFilterOn(root, resolverOf(root, bare), written)
  const arrays = arraysOf(await release.load(keysOfFilter(filter)))
  const { rows } = selectRows(TABLES[root], filter, [], arrays)
  return [...membersOf(bitsOf(rows), 0, rows.count)]
}
