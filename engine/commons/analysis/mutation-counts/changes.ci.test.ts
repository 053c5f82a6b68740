import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtRelease } from '../../query/support/built-release.ts'
import { type Json, scalarsAt } from '../../query/support/memory-release.ts'
import {
  FIELDS,
  hasGene,
  mutatedCommons,
  type NaivePair,
  naivePairs,
  seenFrom,
} from '../../query/support/mutated-commons.ts'
import { Oracle, type Written } from '../../query/support/oracle.ts'
import { Dice, randomFilter } from '../../query/support/random-commons.ts'
import { arraysOf } from '../../release/arrays.ts'
import { readCaseConditions } from './conditions.ts'
import { geneChangesOf, keysOfGeneChanges } from './gene-changes.ts'
import { keysOfOncogrid, oncogridOf } from './oncogrid.ts'

// Compares grids and gene counts from columns with those computed from whole documents.

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-changes-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Documents = ReturnType<typeof mutatedCommons>

const idOf = ({ case: one }: NaivePair) => String(one.case_id)
const isTested = (kind: string) => (one: Json) =>
  scalarsAt(one, ['available_variation_data']).includes(kind)
const textsAt = (changes: readonly Json[], path: string) => [
  ...new Set(changes.flatMap((one) => scalarsAt(one, path.split('.')).map(String))),
]
const EFFECT = 'consequence.transcript.consequence_type'

/** Returns the cases that match a filter, and their pairs with genes. */
function seen(documents: Documents, written: Written | undefined) {
  const { view, documents: all } = seenFrom('case', documents)
  const cases = new Oracle(view, all).rows(written).map((row) => all[row] as Json)
  const ids = new Set(cases.map((one) => String(one.case_id)))
  return {
    cases,
    pairs: naivePairs(documents).filter((pair) => hasGene(pair) && ids.has(idOf(pair))),
  }
}

const hasSsm = ({ ssm }: NaivePair) => ssm.length > 0
const hasCnv = ({ cnv }: NaivePair) => cnv.length > 0

interface Asked {
  readonly geneIds: readonly string[]
  readonly geneSize: number
  readonly caseSize: number
}

function naiveGrid(
  documents: Documents,
  { geneIds, geneSize, caseSize }: Asked,
  written?: Written,
) {
  const { cases, pairs } = seen(documents, written)
  const counted = documents.genes.map((gene) => {
    const own = pairs.filter((pair) => pair.gene.gene_id === gene.gene_id)
    return { gene, own, ssm: own.filter(hasSsm).length, cnv: own.filter(hasCnv).length }
  })
  const genes = counted
    .filter(({ gene, ssm }) =>
      geneIds.length > 0 ? geneIds.includes(String(gene.gene_id)) : ssm > 0,
    )
    .sort((a, b) => b.ssm - a.ssm || (String(a.gene.gene_id) < String(b.gene.gene_id) ? -1 : 1))
    .slice(0, geneSize)
  const pairsOf = (id: string) => genes.map(({ own }) => own.find((pair) => idOf(pair) === id))
  // Sort key of a case as text: for each gene, mutated sorts before copy-number change before unchanged.
  const keyOf = (id: string) =>
    pairsOf(id)
      .map((pair) => (pair === undefined ? 'c' : hasSsm(pair) ? 'a' : 'b'))
      .join('') + id
  const order = [...new Set(genes.flatMap(({ own }) => own.map(idOf)))].sort((a, b) =>
    keyOf(a) < keyOf(b) ? -1 : 1,
  )
  const shown = order.slice(0, caseSize)
  return {
    total: cases.length,
    ssm_tested: cases.filter(isTested('ssm')).length,
    cnv_tested: cases.filter(isTested('cnv')).length,
    genes_total: counted.filter(({ ssm }) => ssm > 0).length,
    genes: genes.map(({ gene, ssm, cnv }) => ({
      gene_id: gene.gene_id,
      symbol: gene.symbol ?? null,
      ssm_cases: ssm,
      cnv_cases: cnv,
    })),
    cases_total: order.length,
    cases: shown,
    cells: shown.flatMap((id) =>
      pairsOf(id).flatMap((pair, gene) =>
        pair === undefined
          ? []
          : [
              {
                id,
                gene: genes[gene]?.gene.gene_id,
                mutations: mutationsOf(pair),
                consequences: textsAt(pair.ssm, EFFECT).sort(),
                copies: textsAt(pair.cnv, 'cnv_change').sort(),
              },
            ],
      ),
    ),
  }
}

const mutationsOf = ({ ssm }: NaivePair) => textsAt(ssm, 'ssm_id').length

function naiveChanges(documents: Documents, geneId: string, written?: Written) {
  const { cases, pairs } = seen(documents, written)
  const own = pairs.filter(({ gene }) => gene.gene_id === geneId)
  const projectOf = (one: Json) => scalarsAt(one, ['project', 'project_id'])[0]
  const countsOf = (isIn: (one: Json) => boolean) => ({
    ssm_tested: cases.filter(isIn).filter(isTested('ssm')).length,
    ssm_cases: own.filter(hasSsm).filter((pair) => isIn(pair.case)).length,
    cnv_tested: cases.filter(isIn).filter(isTested('cnv')).length,
    cnv_cases: own.filter(hasCnv).filter((pair) => isIn(pair.case)).length,
  })
  const byCount = (changes: (pair: NaivePair) => readonly string[]) =>
    [...Map.groupBy(own.flatMap(changes), (text) => text)]
      .map(([text, { length }]) => ({ text, cases: length }))
      .sort((a, b) => b.cases - a.cases || (a.text < b.text ? -1 : 1))
  const projects = documents.projects
    .map(({ project_id }) => {
      const isIn = (one: Json) => projectOf(one) === project_id
      return { project_id, cases: cases.filter(isIn).length, ...countsOf(isIn) }
    })
    .filter(
      ({ ssm_tested, ssm_cases, cnv_tested, cnv_cases }) =>
        ssm_tested + ssm_cases + cnv_tested + cnv_cases > 0,
    )
  const mutations = byCount(({ ssm }) => textsAt(ssm, 'ssm_id'))
  return {
    total: cases.length,
    ...countsOf(() => true),
    projects,
    mutations_total: mutations.length,
    mutations: mutations
      .slice(0, 3)
      .map(({ text, cases: count }) => ({ ssm_id: text, cases: count })),
    copy_numbers: byCount(({ cnv }) => textsAt(cnv, 'cnv_change')).map(
      ({ text, cases: count }) => ({ change: text, cases: count }),
    ),
  }
}

test('grids and counts of a gene are those over nested documents, for any filter', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const dice = new Dice(seed)
    const documents = mutatedCommons(dice, 4 + dice.below(25))
    const release = await builtRelease(folder, documents, `r${seed}`)
    for (let i = 0; i < 30; i++) {
      const written = i === 0 ? undefined : randomFilter(dice, FIELDS.case, 2)
      // Some ids occur twice, some are unknown. An empty list requests the most mutated genes.
      const geneIds = i % 3 === 0 ? [] : dice.list(5, () => `P-${dice.below(8)}`)
      const asked = { geneIds, geneSize: 1 + dice.below(8), caseSize: dice.below(20) }
      const query = { ...asked, cases: await readCaseConditions({ filters: written }) }
      const grid = oncogridOf(query, arraysOf(await release.load(keysOfOncogrid(query))))
      const { cells, consequence_types: types, copy_numbers: copies, ...facts } = grid
      const named = (places: readonly number[], names: readonly string[]) =>
        places.map((place) => names[place]).sort()
      const found = {
        ...facts,
        cells: cells
          .toSorted(([a, m], [b, n]) => m - n || a - b)
          .map(([gene, place, mutations, consequences, changed]) => ({
            id: grid.cases[place],
            gene: grid.genes[gene]?.gene_id,
            mutations,
            consequences: named(consequences, types),
            copies: named(changed, copies),
          })),
      }
      const context = { seed, i, written: JSON.stringify(written), asked }
      expect({ context, found }).toEqual({ context, found: naiveGrid(documents, asked, written) })
      const geneId = `P-${dice.below(6)}`
      const one = { geneId, size: 3, cases: query.cases }
      const changes = geneChangesOf(one, arraysOf(await release.load(keysOfGeneChanges(one))))
      expect({ context, geneId, changes }).toEqual({
        context,
        geneId,
        changes: naiveChanges(documents, geneId, written),
      })
    }
    await release.close()
  }
})
