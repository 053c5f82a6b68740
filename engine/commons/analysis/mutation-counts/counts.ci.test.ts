import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtRelease } from '../../query/support/built-release.ts'
import { type Json, objectsAt, scalarsAt } from '../../query/support/memory-release.ts'
import {
  FIELDS,
  hasGene,
  mutatedCommons,
  naivePairs,
  seenFrom,
} from '../../query/support/mutated-commons.ts'
import { Oracle, type Written } from '../../query/support/oracle.ts'
import { Dice, randomFilter } from '../../query/support/random-commons.ts'
import { arraysOf } from '../../release/arrays.ts'
import { readCaseConditions } from './conditions.ts'
import { countByGenes, type GeneCountsQuery, keysOfGeneCounts } from './gene-counts.ts'
import { countByProject, keysOfProjectCounts } from './project-counts.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-counts-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Documents = ReturnType<typeof mutatedCommons>

function casesPassing(documents: Documents, written: Written | undefined): readonly Json[] {
  const { view, documents: cases } = seenFrom('case', documents)
  return new Oracle(view, cases).rows(written).map((row) => cases[row] as Json)
}

/** Returns the cases of each project, sorted by project. Cases without a project are left out. */
function byProject(
  documents: Documents,
  cases: readonly Json[],
  rest: (cases: readonly Json[]) => Json,
) {
  const known = new Set(documents.projects.map((one) => one.project_id))
  const projectOf = (one: Json) => scalarsAt(one, ['project', 'project_id'])[0]
  const groups = Map.groupBy(cases, projectOf)
  return [...groups]
    .filter(([project]) => known.has(project))
    .sort(([a, m], [b, n]) => n.length - m.length || (String(a) < String(b) ? -1 : 1))
    .map(([key, own]) => ({ key, doc_count: own.length, ...rest(own) }))
}

function naiveByGenes(
  documents: Documents,
  { geneIds, withSsm }: Pick<GeneCountsQuery, 'geneIds' | 'withSsm'>,
  written?: Written,
) {
  const pairs = naivePairs(documents).filter(
    (pair) => hasGene(pair) && (!withSsm || pair.ssm.length > 0),
  )
  const genesOf = (one: Json) =>
    pairs
      .filter((pair) => pair.case.case_id === one.case_id)
      .map(({ gene }) => String(gene.gene_id))
  const mine = (one: Json) => genesOf(one).filter((id) => geneIds.includes(id))
  const cases = casesPassing(documents, written).filter((one) => mine(one).length > 0)
  const buckets = byProject(documents, cases, (own) => {
    const counts = Map.groupBy(own.flatMap(mine), (id) => id)
    const genes = [...counts].map(([key, { length }]) => ({ key, doc_count: length }))
    genes.sort((a, b) => b.doc_count - a.doc_count || (a.key < b.key ? -1 : 1))
    const zeros = { doc_count_error_upper_bound: 0, sum_other_doc_count: 0 }
    return {
      genes: {
        doc_count: own.flatMap(genesOf).length,
        my_genes: { doc_count: own.flatMap(mine).length, gene_id: { ...zeros, buckets: genes } },
      },
    }
  })
  return { total: cases.length, buckets }
}

function naiveByProject(documents: Documents, written?: Written) {
  const cases = casesPassing(documents, written)
  const buckets = byProject(documents, cases, (own) => ({
    case_summary: {
      doc_count: own.flatMap((one) => objectsAt(one, ['summary', 'data_categories'])).length,
      case_with_ssm: {
        doc_count: own.filter((one) => scalarsAt(one, ['available_variation_data']).includes('ssm'))
          .length,
      },
    },
  }))
  return { total: cases.length, buckets }
}

test('counts of cases are those over nested documents, for any filter', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const dice = new Dice(seed)
    const documents = mutatedCommons(dice, 4 + dice.below(25))
    const release = await builtRelease(folder, documents, `r${seed}`)
    for (let i = 0; i < 60; i++) {
      const written = i === 0 ? undefined : randomFilter(dice, FIELDS.case, 2)
      // Some ids occur twice, some are unknown.
      const geneIds = [...dice.list(5, () => `P-${dice.below(8)}`), 'P-1']
      const cases = await readCaseConditions({ filters: written })
      const genes = { geneIds, cases, withSsm: i % 2 === 0 }
      const found = {
        genes: countByGenes(genes, arraysOf(await release.load(keysOfGeneCounts(genes)))),
        projects: countByProject(
          { cases },
          arraysOf(await release.load(keysOfProjectCounts({ cases }))),
        ),
      }
      const seen = { seed, i, written: JSON.stringify(written), geneIds, found }
      expect(seen).toEqual({
        ...seen,
        found: {
          genes: naiveByGenes(documents, genes, written),
          projects: naiveByProject(documents, written),
        },
      })
    }
    await release.close()
  }
})

test('counts under a condition and under its opposite add up', async () => {
  const documents = mutatedCommons(new Dice(12), 30)
  const release = await builtRelease(folder, documents, 'complement')
  const geneIds = ['P-0', 'P-1', 'P-2']
  const countsOf = async (op?: string) => {
    const filters = op && { op, content: { field: 'disease_type', value: ['alpha', 'beta'] } }
    const cases = await readCaseConditions({ caseFilters: filters })
    const query = { geneIds, cases, withSsm: true }
    const genes = countByGenes(query, arraysOf(await release.load(keysOfGeneCounts(query))))
    const projects = countByProject(query, arraysOf(await release.load(keysOfProjectCounts(query))))
    // Returns all numbers of both responses by their path.
    return new Map([...numbersIn(genes, 'genes'), ...numbersIn(projects, 'projects')])
  }
  const [all, some, others] = [await countsOf(), await countsOf('in'), await countsOf('exclude')]
  expect(all.size).toBeGreaterThan(10)
  for (const [place, count] of all) {
    expect([place, (some.get(place) ?? 0) + (others.get(place) ?? 0)]).toEqual([place, count])
  }
  await release.close()
})

function numbersIn(value: unknown, place: string): [string, number][] {
  if (typeof value === 'number') return [[place, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => {
    const key = (one as { readonly key?: string } | null)?.key
    return numbersIn(one, `${place}.${key ?? name}`)
  })
}
