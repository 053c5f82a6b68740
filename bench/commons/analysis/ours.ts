import { fetchAway } from '../download/fetch.ts'
import type { SinkTarget } from '../download/sink.ts'
import type { Service } from '../search/service.ts'
import { type Answer, exponentOf, type Survival } from './answers.ts'
import { CURVES } from './donors.ts'
import { cellsIn } from './python-peer.ts'
import { CELLS_FILE, type Question } from './questions.ts'
import type { Contestant } from './way.ts'

export const OURS = 'casemill'

/** The service, asked over HTTP by a process that drops what comes. */
export function oursOver({ address }: Pick<Service, 'address'>): Contestant {
  return {
    name: OURS,
    ways: [
      {
        name: 'HTTP',
        async times(questions) {
          return (await fetchAway({ address, targets: questions.map(targetOf) })).times
        },
        answer: async (question) => answerOf(question, await askOurs(address, targetOf(question))),
      },
    ],
  }
}

/** The whole body. @throws Error on any status but 200 */
export async function askOurs(address: string, { path, body }: SinkTarget): Promise<Buffer> {
  const init = { method: 'POST', body: body ?? null, headers: JSON_HEADERS }
  const answer = await fetch(`${address}${path}`, init)
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status === 200) return bytes
  throw new Error(`${path}: status ${answer.status} ${bytes.toString('utf8', 0, 300)}`)
}

const JSON_HEADERS = { 'content-type': 'application/json', 'accept-encoding': 'identity' }

/** The request that asks a question (data-commons.md 6). */
export function targetOf(question: Question): SinkTarget {
  const [path, body] = requestOf(question)
  return { path, body: JSON.stringify(body) }
}

type Condition = readonly [operator: string, field: string, value: unknown]

const filter = (...conditions: Condition[]) => ({
  op: 'and',
  content: conditions.map(([op, field, value]) => ({ op, content: { field, value } })),
})

function requestOf(question: Question): readonly [path: string, body: unknown] {
  switch (question.kind) {
    case 'values': {
      const { genes, cases, units } = question
      const ids = { case_ids: cases, gene_ids: genes }
      return ['/gene_expression/values', { ...ids, tsv_units: units, format: 'tsv' }]
    }
    case 'selection': {
      const { genes, cases, size } = question
      const ids = { case_ids: cases, gene_ids: genes }
      return ['/gene_expression/gene_selection', { ...ids, selection_size: size }]
    }
    case 'differential': {
      const { genes, cases, others } = question
      const ids = { case_ids: cases, other_case_ids: others, gene_ids: genes }
      return ['/gene_expression/differential', ids]
    }
    case 'coexpression': {
      const { gene, genes, cases } = question
      return ['/gene_expression/coexpression', { gene_id: gene, case_ids: cases, gene_ids: genes }]
    }
    case 'survival': {
      const filters = CURVES.map((sex) => filter(['=', 'cases.demographic.sex_at_birth', sex]))
      return ['/analysis/survival', { filters }]
    }
    case 'top-genes': {
      const { project, impacts } = question
      const filters = filter(
        ['=', 'case.project.project_id', project],
        ...(impacts
          ? [['in', 'case.ssm.consequence.transcript.annotation.vep_impact', impacts] as const]
          : []),
      )
      return ['/analysis/top_mutated_genes_by_project', { filters, fields: 'gene_id', size: 10 }]
    }
    case 'top-cases': {
      const { project, genes } = question
      const conditions = [
        ['=', 'cases.project.project_id', project],
        ['in', 'genes.gene_id', genes],
      ] as const
      const filters = filter(...conditions)
      return ['/analysis/top_mutated_cases_by_gene', { filters, fields: 'case_id', size: 10 }]
    }
    case 'cases-of-genes':
      // The others count all changes.
      return ['/analysis/top_cases_counts_by_genes', { gene_ids: question.genes, include: 'cnv' }]
    case 'mutated-cases':
      return ['/analysis/mutated_cases_count_by_project', { size: 0 }]
    case 'cells':
      return ['/scrna_seq/gene_expression', { file_id: CELLS_FILE, gene_ids: question.genes }]
  }
}

/** What a body says (data-commons.md 6), as it is compared. */
function answerOf(question: Question, body: Buffer): Answer {
  if (question.kind === 'values') return { table: body }
  if (question.kind === 'cells') return { value: cellsIn(body.toString()) }
  const json = JSON.parse(body.toString())
  switch (question.kind) {
    case 'selection':
      return { value: selectedIn(json) }
    case 'differential':
      return {
        value: testedIn(json, (gene) => [
          ...[gene.log2_fold_change ?? null, gene.statistic ?? null],
          ...[gene.p_value, gene.adjusted_p_value].map((p) => exponentOf(p ?? null)),
        ]),
      }
    case 'coexpression':
      return {
        value: testedIn(json, (gene) => [
          ...[gene.pearson ?? null, gene.spearman ?? null],
          ...[gene.pearson_p_value, gene.spearman_p_value].map((p) => exponentOf(p ?? null)),
          ...[gene.pearson_adjusted_p_value, gene.spearman_adjusted_p_value].map((p) =>
            exponentOf(p ?? null),
          ),
        ]),
      }
    case 'survival':
      return { value: survivalIn(json) }
    case 'top-genes':
      return { value: topIn(json, 'gene_id') }
    case 'top-cases':
      return { value: topIn(json, 'case_id') }
    case 'cases-of-genes':
      return {
        value: bucketsIn(json, ({ key, doc_count, genes }) => {
          const mine = genes?.my_genes.gene_id.buckets ?? []
          return [key, doc_count, genes?.doc_count, mine.map((gene) => [gene.key, gene.doc_count])]
        }),
      }
    case 'mutated-cases':
      return {
        value: bucketsIn(json, ({ key, doc_count, case_summary: summary }) => {
          return [key, doc_count, summary?.doc_count, summary?.case_with_ssm.doc_count]
        }),
      }
  }
}

interface Selection {
  readonly gene_selection: readonly {
    readonly gene_id: string
    readonly symbol: string
    readonly log2_uqfpkm_stddev: number
    readonly log2_uqfpkm_median: number
  }[]
}

const selectedIn = ({ gene_selection }: Selection) =>
  gene_selection.map((gene) => [
    gene.gene_id,
    gene.symbol,
    gene.log2_uqfpkm_stddev,
    gene.log2_uqfpkm_median,
  ])

type TestedGene = { readonly gene_id: string } & Readonly<Record<string, number | null>>

/** Genes with equal probabilities may stand in any order. */
const testedIn = (
  { genes }: { readonly genes: readonly TestedGene[] },
  numbersOf: (gene: TestedGene) => readonly (number | null)[],
) =>
  genes
    .map((gene) => [gene.gene_id, ...numbersOf(gene)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))

interface Curves {
  readonly results: readonly {
    readonly donors: readonly { readonly time: number; readonly survivalEstimate: number }[]
  }[]
  readonly overallStats: { readonly chiSquared?: number }
}

function survivalIn({ results, overallStats }: Curves): Survival {
  const curves = results.map(({ donors }) => {
    const steps = new Map(donors.map(({ time, survivalEstimate }) => [time, survivalEstimate]))
    return { donors: donors.length, steps: [...steps] }
  })
  return { curves, chiSquared: overallStats.chiSquared ?? Number.NaN }
}

interface List {
  readonly data: {
    readonly hits: readonly Readonly<Record<string, unknown>>[]
    readonly pagination: { readonly total: number }
  }
}

const topIn = ({ data: { hits, pagination } }: List, id: string) => ({
  total: pagination.total,
  top: hits.map((hit) => [hit[id], hit._score]),
})

interface Bucket {
  readonly key: string
  readonly doc_count: number
  readonly genes?: {
    readonly doc_count: number
    readonly my_genes: { readonly gene_id: { readonly buckets: readonly Bucket[] } }
  }
  readonly case_summary?: {
    readonly doc_count: number
    readonly case_with_ssm: { readonly doc_count: number }
  }
}

interface Aggregated {
  readonly hits: { readonly total: { readonly value: number } }
  readonly aggregations: { readonly projects: { readonly buckets: readonly Bucket[] } }
}

const bucketsIn = (
  { hits, aggregations }: Aggregated,
  rowOf: (bucket: Bucket) => readonly unknown[],
) => ({ total: hits.total.value, buckets: aggregations.projects.buckets.map(rowOf) })
