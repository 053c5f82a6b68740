import { clinicalTable } from '../../../fixtures/tables/cases.ts'
import { caseId, geneId } from '../../../fixtures/tables/cohort.ts'
import { manifestTable } from '../../../fixtures/tables/files.ts'
import { expressionMatrix } from '../../../fixtures/tables/genes.ts'
import type { MadeTable } from '../../../fixtures/tables/made-table.ts'
import { mutationTable } from '../../../fixtures/tables/mutations.ts'

/** Numbers by what they are of. */
export type Aggregate = Readonly<Record<string, number>>

export interface ImportWorkload {
  readonly table: MadeTable
  readonly command: 'commons' | 'expression'
  /** What DuckDB orders the rows by. */
  readonly orderedBy: string
  /** Asks a service at an address. */
  readonly ask: (address: string) => Promise<Aggregate>
  /** The same question to DuckDB's table, two columns. */
  readonly sql: string
  /** Whether DuckDB takes part. */
  readonly hasPeer: boolean
}

type Size = 'quick' | 'full'
const ROWS = {
  quick: { mutations: 5_000, cases: 500, clinical: 1_000, files: 5_000, genes: 200, columns: 50 },
  full: {
    ...{ mutations: 1_000_000, cases: 10_000, clinical: 100_000, files: 550_000 },
    ...{ genes: 20_000, columns: 1_000 },
  },
} as const

/** The cases that a large matrix has, for each of a small one. */
const TIMES_LARGE = 10

/** How many genes and cases the release has that a matrix is imported into. */
export function cohortSize(size: Size) {
  const { genes, columns } = ROWS[size]
  return { genes, cases: columns * TIMES_LARGE }
}

export function workloadsOf(size: Size): Readonly<Record<string, ImportWorkload>> {
  const rows = ROWS[size]
  return {
    mutations: {
      table: mutationTable(rows.mutations, rows.cases),
      ...{ command: 'commons', orderedBy: 'Chromosome, Start_Position', hasPeer: true },
      ask: facet('ssm_occurrences', 'ssm.chromosome'),
      // Of a million rows a few are the same mutation of the same case by chance, which is one occurrence.
      sql: 'SELECT lower(Chromosome), count(DISTINCT (Start_Position, Reference_Allele, Tumor_Seq_Allele2, Tumor_Sample_Barcode)) FROM imported GROUP BY 1',
    },
    clinical: {
      table: clinicalTable(rows.clinical),
      ...{ command: 'commons', orderedBy: '"cases.case_id"', hasPeer: true },
      ask: facet('cases', 'demographic.vital_status'),
      sql: 'SELECT lower("demographic.vital_status"), count(*) FROM imported GROUP BY 1',
    },
    manifest: {
      table: manifestTable(rows.files),
      ...{ command: 'commons', orderedBy: 'id', hasPeer: true },
      ask: facet('files', 'state'),
      sql: 'SELECT state, count(*) FROM imported GROUP BY 1',
    },
    matrix: matrix(rows.genes, rows.columns, true),
    'large-matrix': matrix(rows.genes, rows.columns * TIMES_LARGE, false),
  }
}

function matrix(genes: number, cases: number, hasPeer: boolean): ImportWorkload {
  const table = expressionMatrix(genes, cases)
  const [first] = table.columns.filter(({ isKey }) => !isKey)
  const gene = `regexp_replace(gene_id, '\\.\\d+$', '')`
  return {
    ...{ table, command: 'expression', orderedBy: 'gene_id', hasPeer },
    ask: valuesOfFirstCase,
    sql: `SELECT ${gene}, "${first?.name}" FROM imported ORDER BY gene_id LIMIT ${ASKED_GENES}`,
  }
}

const ASKED_GENES = 100

/** Counts of records by the values of a field. */
const facet =
  (dataset: string, field: string) =>
  async (address: string): Promise<Aggregate> => {
    const answer = await fetch(`${address}/${dataset}?size=0&facets=${field}`)
    const { data } = (await answer.json()) as {
      readonly data: {
        readonly aggregations: Readonly<
          Record<string, { readonly buckets: readonly { key: string; doc_count: number }[] }>
        >
      }
    }
    const buckets = data.aggregations[field]?.buckets ?? []
    return Object.fromEntries(buckets.map(({ key, doc_count: count }) => [key, count]))
  }

async function valuesOfFirstCase(address: string): Promise<Aggregate> {
  const answer = await fetch(`${address}/gene_expression/values`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({
      case_ids: [caseId(0)],
      gene_ids: Array.from({ length: ASKED_GENES }, (_, row) => geneId(row)),
      ...{ tsv_units: 'uqfpkm', format: 'tsv' },
    }),
  })
  const [, ...lines] = (await answer.text()).trimEnd().split('\n')
  return Object.fromEntries(
    lines.map((line) => {
      const [gene = '', amount] = line.split('\t')
      return [gene, Number(amount)]
    }),
  )
}
