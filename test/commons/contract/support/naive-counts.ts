import { DOCUMENTS } from '../../../../fixtures/release/make-release.ts'
import { planRelease } from '../../../../fixtures/release/plan.ts'
import { type MadeName, SCALES } from '../../../../fixtures/release/scale.ts'

/** A case and a gene affected by a mutation of the case. */
export interface NaivePair {
  readonly case: string
  readonly project: string
  readonly gene: string
  /** Ids of simple mutations, and their consequences for the gene. */
  readonly ssm: string[]
  readonly impacts: unknown[]
  readonly cnv: string[]
}

interface Bucket {
  readonly key: string
  readonly doc_count: number
}

type Doc = Readonly<Record<string, unknown>>

/** Counts computed by reading the documents of a made release. */
export interface NaiveCounts {
  readonly projects: readonly string[]
  readonly genes: readonly string[]
  readonly pairs: readonly NaivePair[]
  /** Returns ids and scores, descending by score, then by id. */
  top(by: 'case' | 'gene', passes: (pair: NaivePair) => boolean): readonly [string, number][]
  byGenes(
    geneIds: readonly string[],
    passes: (pair: NaivePair) => boolean,
  ): {
    readonly total: number
    readonly buckets: readonly object[]
  }
  byProject(passes: (demographic: Doc) => boolean): {
    readonly total: number
    readonly buckets: readonly object[]
  }
}

export function naiveCounts(scale: keyof typeof SCALES, seed: number): NaiveCounts {
  const plan = planRelease(seed, SCALES[scale])
  const read = (name: MadeName) => [...DOCUMENTS[name](plan)] as readonly Doc[]
  const cases = read('cases') as readonly unknown[] as readonly CaseDoc[]
  const genes = read('genes').map((one) => String(one.gene_id))
  const pairs = pairsOf(cases, genes, read)
  return {
    genes,
    pairs,
    projects: read('projects').map((one) => String(one.project_id)),
    top(by, passes) {
      const own = Map.groupBy(pairs.filter(passes), (pair) => pair[by])
      return [...own]
        .map(([id, { length }]): [string, number] => [id, length])
        .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    },
    byGenes(geneIds, passes) {
      const all = pairs.filter(passes)
      const mine = all.filter(({ gene }) => geneIds.includes(gene))
      const hit = cases.filter((one) => mine.some((pair) => pair.case === one.case_id))
      const buckets = byProject(hit, (own) => {
        const isOwn = (pair: NaivePair) => own.some((one) => one.case_id === pair.case)
        const listed = mine.filter(isOwn)
        const byGene = Map.groupBy(listed, ({ gene }) => gene)
        const zeros = { doc_count_error_upper_bound: 0, sum_other_doc_count: 0 }
        const gene_id = { ...zeros, buckets: ordered(byGene) }
        return {
          genes: {
            doc_count: all.filter(isOwn).length,
            my_genes: { doc_count: listed.length, gene_id },
          },
        }
      })
      return { total: hit.length, buckets }
    },
    byProject(passes) {
      const own = cases.filter((one) => passes(one.demographic ?? {}))
      const buckets = byProject(own, (some) => ({
        case_summary: {
          doc_count: some.reduce(
            (sum, one) => sum + (one.summary?.data_categories?.length ?? 0),
            0,
          ),
          case_with_ssm: {
            doc_count: some.filter((one) => one.available_variation_data?.includes('ssm')).length,
          },
        },
      }))
      return { total: own.length, buckets }
    },
  }
}

interface CaseDoc {
  readonly case_id: string
  readonly project: { readonly project_id: string }
  readonly demographic?: Doc
  readonly summary?: { readonly data_categories?: readonly unknown[] }
  readonly available_variation_data?: readonly string[]
}

function byProject(cases: readonly CaseDoc[], rest: (own: readonly CaseDoc[]) => object) {
  const groups = Map.groupBy(cases, ({ project }) => project.project_id)
  return ordered(groups).map((bucket) => ({ ...bucket, ...rest(groups.get(bucket.key) ?? []) }))
}

const ordered = (groups: ReadonlyMap<string, readonly unknown[]>): Bucket[] =>
  [...groups]
    .map(([key, { length }]) => ({ key, doc_count: length }))
    .sort((a, b) => b.doc_count - a.doc_count || (a.key < b.key ? -1 : 1))

interface Consequence {
  readonly transcript?: {
    readonly gene: { readonly gene_id: string }
    readonly annotation?: { readonly vep_impact?: unknown }
  }
  readonly gene?: { readonly gene_id: string }
}

function pairsOf(
  cases: readonly CaseDoc[],
  genes: readonly string[],
  read: (name: MadeName) => readonly Doc[],
): readonly NaivePair[] {
  const projects = new Map(cases.map((one) => [one.case_id, one.project.project_id]))
  const pairs = new Map<string, NaivePair>()
  for (const kind of ['ssm', 'cnv'] as const) {
    const changes = new Map(read(`${kind}s`).map((one) => [one[`${kind}_id`], one]))
    for (const occurrence of read(`${kind}_occurrences`)) {
      const { case_id: id } = occurrence.case as { case_id: string }
      const named = (occurrence[kind] as Doc)[`${kind}_id`]
      const project = projects.get(id)
      for (const one of (changes.get(named)?.consequence ?? []) as readonly Consequence[]) {
        const gene = (one.transcript ?? one).gene?.gene_id ?? ''
        if (project === undefined || !genes.includes(gene)) continue
        const key = `${id} ${gene}`
        const pair = pairs.get(key) ?? { case: id, project, gene, ssm: [], impacts: [], cnv: [] }
        pairs.set(key, pair)
        pair[kind].push(String(named))
        if (kind === 'ssm') pair.impacts.push(one.transcript?.annotation?.vep_impact)
      }
    }
  }
  return [...pairs.values()]
}
