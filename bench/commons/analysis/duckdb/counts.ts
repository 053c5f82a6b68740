import type { DuckClient } from '../../search/duckdb/client.ts'
import type { Of } from '../questions.ts'
import type { WaysOf } from './ways.ts'

const listed = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(',')

/** Which gene is mutated in which case: kept as a table, or out of the occurrences. */
const PAIRS = {
  kept: 'pairs',
  found: `(SELECT DISTINCT gene_row, case_row, project
           FROM occurrences JOIN ssm_genes USING (ssm_row) JOIN cases USING (case_row))`,
} as const

const ofImpacts = ({ project, impacts = [] }: Of<'top-genes'>) => `
  (SELECT DISTINCT gene_row, case_row, project
   FROM occurrences
   JOIN (SELECT DISTINCT ssm_row, gene_row FROM ssm_genes WHERE impact IN (${listed(impacts)}))
     USING (ssm_row)
   JOIN (SELECT * FROM cases WHERE project = '${project}') USING (case_row))`

async function top(client: DuckClient, counted: string, name: string, table: string) {
  const row = `${table.slice(0, -1)}_row`
  const rows = await client.rows(
    `WITH counted AS MATERIALIZED (${counted})
     SELECT ${name}, number, (SELECT count(*) FROM counted)::INTEGER
     FROM (SELECT * FROM counted ORDER BY number DESC, ${row} LIMIT 10) JOIN ${table} USING (${row})
     ORDER BY number DESC, ${row}`,
  )
  return { total: Number(rows[0]?.[2] ?? 0), top: rows.map(([id, number]) => [id, number]) }
}

const topGenes = (pairs: string) => (question: Of<'top-genes'>, client: DuckClient) =>
  top(
    client,
    `SELECT gene_row, count(*)::INTEGER AS number
     FROM ${question.impacts ? ofImpacts(question) : pairs}
     WHERE project = '${question.project}' GROUP BY gene_row`,
    'gene_id',
    'genes',
  )

const wantedGenes = (genes: readonly string[]) =>
  `gene_row IN (SELECT gene_row FROM genes WHERE gene_id IN (${listed(genes)}))`

const topCases = (pairs: string) => (question: Of<'top-cases'>, client: DuckClient) =>
  top(
    client,
    `SELECT case_row, count(*)::INTEGER AS number FROM ${pairs}
     WHERE project = '${question.project}' AND ${wantedGenes(question.genes)} GROUP BY case_row`,
    'case_id',
    'cases',
  )

const casesOfGenes =
  (pairs: string) =>
  async ({ genes }: Of<'cases-of-genes'>, client: DuckClient) => {
    const rows = await client.rows(
      `WITH mine AS MATERIALIZED (SELECT * FROM ${pairs} WHERE ${wantedGenes(genes)}),
       members AS (SELECT DISTINCT case_row, project FROM mine),
       by_project AS (SELECT project, count(*) AS number FROM members GROUP BY project),
       all_pairs AS (SELECT project, count(*) AS number FROM ${pairs}
         SEMI JOIN members USING (case_row) GROUP BY project),
       by_gene AS (SELECT project, gene_row, count(*) AS number FROM mine GROUP BY ALL)
       SELECT by_project.project::VARCHAR AS project, by_project.number::INTEGER,
         all_pairs.number::INTEGER, gene_id, by_gene.number::INTEGER
       FROM by_project JOIN all_pairs USING (project) JOIN by_gene USING (project)
       JOIN genes USING (gene_row)
       ORDER BY by_project.number DESC, project, by_gene.number DESC, gene_id`,
    )
    const buckets: [string, number, number, [string, number][]][] = []
    for (const [project, cases, all, gene, number] of rows) {
      if (buckets.at(-1)?.[0] !== project) {
        buckets.push([String(project), Number(cases), Number(all), []])
      }
      buckets.at(-1)![3].push([String(gene), Number(number)])
    }
    return { total: buckets.reduce((sum, [, cases]) => sum + cases, 0), buckets }
  }

const mutatedCases = async (_: Of<'mutated-cases'>, client: DuckClient) => {
  const buckets = await client.rows(
    `SELECT project::VARCHAR AS name, count(*)::INTEGER AS number, sum(categories)::INTEGER,
       count_if(has_ssm)::INTEGER
     FROM cases GROUP BY project ORDER BY number DESC, name`,
  )
  return { total: buckets.reduce((sum, [, cases]) => sum + Number(cases), 0), buckets }
}

export const countWays: WaysOf = {
  'top-genes': { 'pairs kept': topGenes(PAIRS.kept), 'pairs found': topGenes(PAIRS.found) },
  'top-cases': { 'pairs kept': topCases(PAIRS.kept), 'pairs found': topCases(PAIRS.found) },
  'cases-of-genes': {
    'pairs kept': casesOfGenes(PAIRS.kept),
    'pairs found': casesOfGenes(PAIRS.found),
  },
  'mutated-cases': { cases: mutatedCases },
}
