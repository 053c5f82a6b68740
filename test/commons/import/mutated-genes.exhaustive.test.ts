import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../../available.ts'
import { runPython } from '../../peers/run-peer.ts'
import { SHARED } from './support/shared-data.ts'
import { ask, endWorld, equals, type World, worldOf } from './support/world.ts'

// Imports a public mutation table with a gene model, and compares the genes and cases counted by the interface
// with those counted by pandas in the table.

const MAF = join(SHARED, 'mutations/tcga_chol.grch38.gdc_somatic.maf.gz')
const GENES = join(SHARED, 'genes/gencode.v36.genes.tsv.gz')
const CASES = join(SHARED, 'cases/tcga_cases_legacy.tsv.gz')
const canCount = available.shared && available.numpy

/**
 * A mutation hits the gene that its row names, and those of all listed effects: these have symbols
 * alone, which stand for the row's own gene, else for the only gene of the symbol on the chromosome
 * (docs/adr/0023-mutation-tables.md). Genes that the model lacks are left out.
 */
const SCRIPT = `
import json, sys
import pandas as pd
maf = pd.read_csv(sys.argv[1], sep='\\t', dtype=str, keep_default_na=False, comment='#')
model = pd.read_csv(sys.argv[2], sep='\\t', dtype=str, keep_default_na=False)
twins = model.duplicated('gene_id')
model.loc[twins, 'gene_id'] = model.gene_id_version[twins]
single = model.drop_duplicates(['symbol', 'chromosome'], keep=False)
place = ['Chromosome', 'Start_Position', 'End_Position', 'Reference_Allele', 'Tumor_Seq_Allele2']
maf['mutation'] = maf[place].agg('|'.join, axis=1)
own = maf[['mutation', 'Chromosome', 'Transcript_ID', 'Hugo_Symbol', 'Gene']].drop_duplicates()
listed = maf[['mutation', 'Chromosome', 'all_effects']].drop_duplicates()
listed = listed.assign(effect=listed.all_effects.str.split(';')).explode('effect')
parts = listed.effect.str.split(',')
listed = listed.assign(symbol=parts.str[0], transcript=parts.str[3])
listed = listed[listed.transcript.fillna('') != '']
listed = listed[~pd.MultiIndex.from_frame(listed[['mutation', 'transcript']]).isin(
    pd.MultiIndex.from_frame(own[['mutation', 'Transcript_ID']]))]
named = own[own.Gene != ''].drop_duplicates(['mutation', 'Hugo_Symbol'], keep='last')
listed = listed.merge(named[['mutation', 'Hugo_Symbol', 'Gene']], how='left',
    left_on=['mutation', 'symbol'], right_on=['mutation', 'Hugo_Symbol'])
listed = listed.merge(single[['symbol', 'chromosome', 'gene_id']], how='left',
    left_on=['symbol', 'Chromosome'], right_on=['symbol', 'chromosome'])
hits = pd.concat([
    own.rename(columns={'Gene': 'gene'})[['mutation', 'gene']],
    listed.assign(gene=listed.Gene.fillna(listed.gene_id))[['mutation', 'gene']],
]).drop_duplicates()
hits = hits[hits.gene.isin(model.gene_id)]
pairs = maf[['mutation', 'case_id']].merge(hits, on='mutation')[['case_id', 'gene']].drop_duplicates()
def top(column):
    counts = pairs.groupby(column).size().reset_index(name='n')
    counts = counts.sort_values(['n', column], ascending=[False, True])
    return [[key, int(n)] for key, n in zip(counts[column], counts.n)]
print(json.dumps({'genes': top('gene'), 'cases': top('case_id')}))
`

type Scores = readonly (readonly [string, number])[]

describe.skipIf(!canCount)('the mutated genes of TCGA-CHOL', () => {
  let world: World
  let pandas: { readonly genes: Scores; readonly cases: Scores }
  beforeAll(async () => {
    world = await worldOf(CASES, GENES, MAF)
    pandas = JSON.parse(await runPython(SCRIPT, [MAF, GENES]))
  })
  afterAll(() => endWorld(world))

  async function top(path: string, id: string, request: object = {}): Promise<Scores> {
    type Hit = Record<string, string> & { readonly _score: number }
    const { hits } = await ask<Hit>(world, path, { fields: id, size: 100_000, ...request })
    return hits.map((hit) => [hit[id] ?? '', hit._score])
  }

  test('are mutated in as many cases as pandas counts in the table', async () => {
    const found = await top('/analysis/top_mutated_genes_by_project', 'gene_id')
    expect(found).toEqual(pandas.genes)
    expect(found.length).toBeGreaterThan(3_000)
    const filters = equals('case.project.project_id', 'TCGA-CHOL')
    expect(await top('/analysis/top_mutated_genes_by_project', 'gene_id', { filters })).toEqual(
      found,
    )
  })

  test('are as many in each case as pandas counts', async () => {
    const found = await top('/analysis/top_mutated_cases_by_gene', 'case_id')
    expect(found).toEqual(pandas.cases)
    // zcat tcga_chol*.gz | awk -F'\t' 'NR>1{print $116}' | sort -u | wc -l
    expect(found).toHaveLength(49)
  })

  test('have the same counts one by one', async () => {
    interface Frame {
      readonly hits: { readonly total: { readonly value: number } }
      readonly aggregations: { readonly projects: { readonly buckets: readonly Bucket[] } }
    }
    interface Bucket {
      readonly key: string
      readonly doc_count: number
      readonly genes: {
        readonly doc_count: number
        readonly my_genes: {
          readonly doc_count: number
          readonly gene_id: { readonly buckets: readonly { key: string; doc_count: number }[] }
        }
      }
    }
    const counts = async (ids: readonly string[]) => {
      const body = JSON.stringify({ gene_ids: ids })
      const headers = { 'Content-Type': 'application/json' }
      const path = '/analysis/top_cases_counts_by_genes'
      const answer = await world.app.request(path, { method: 'POST', body, headers })
      return (await answer.json()) as Frame
    }
    for (let from = 0; from < pandas.genes.length; from += 1000) {
      const some = pandas.genes.slice(from, from + 1000)
      const { hits, aggregations } = await counts(some.map(([id]) => id))
      const { buckets } = aggregations.projects
      expect(buckets.map(({ key }) => key)).toEqual(['TCGA-CHOL'])
      const { doc_count: cases, genes } = buckets[0] as Bucket
      expect(cases).toBe(hits.total.value)
      const found = genes.my_genes.gene_id.buckets.map(({ key, doc_count: n }) => [key, n])
      expect(found).toEqual(some)
      expect(genes.my_genes.doc_count).toBe(some.reduce((sum, [, n]) => sum + n, 0))
    }
  })
})
