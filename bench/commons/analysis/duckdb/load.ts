import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DOUBLE, type DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'
import { FIXED_SCALE } from '../../../../engine/commons/analysis/expression/matrix-format.ts'
import { readNames, valuesPath } from '../matrix.ts'

// The flat tables that DuckDB and, by way of CSV, pandas are given. Rows are numbered in order of ids.

const quoted = (path: string) => `'${path.replaceAll("'", "''")}'`

function mutationStatements(documents: string): string[] {
  const source = (name: string) =>
    `${quoted(join(documents, `${name}.ndjson`))}, format = 'newline_delimited'`
  return [
    `CREATE TABLE cases AS
       SELECT (row_number() OVER () - 1)::INTEGER AS case_row, case_id,
         project.project_id AS project, coalesce(len(summary.data_categories), 0)::INTEGER AS categories,
         coalesce(list_contains(available_variation_data, 'ssm'), false) AS has_ssm
       FROM read_json(${source('cases')}, columns = {case_id: 'VARCHAR',
         project: 'STRUCT(project_id VARCHAR)', available_variation_data: 'VARCHAR[]',
         summary: 'STRUCT(data_categories STRUCT(data_category VARCHAR)[])'})`,
    `CREATE TYPE projects AS ENUM (SELECT DISTINCT project FROM cases ORDER BY project)`,
    `ALTER TABLE cases ALTER project TYPE projects`,
    `CREATE TABLE genes AS
       SELECT (row_number() OVER () - 1)::INTEGER AS gene_row, gene_id, symbol
       FROM read_json(${source('genes')}, columns = {gene_id: 'VARCHAR', symbol: 'VARCHAR'})`,
    `CREATE TEMP TABLE read_ssms AS
       SELECT (row_number() OVER () - 1)::INTEGER AS ssm_row, ssm_id, consequence
       FROM read_json(${source('ssms')}, columns = {ssm_id: 'VARCHAR',
         consequence: 'STRUCT(transcript STRUCT(gene STRUCT(gene_id VARCHAR),
           annotation STRUCT(vep_impact VARCHAR)))[]'})`,
    `CREATE TYPE impacts AS ENUM ('HIGH', 'MODERATE', 'LOW', 'MODIFIER')`,
    `CREATE TABLE ssm_genes AS
       SELECT DISTINCT ssm_row, gene_row, impact::impacts AS impact
       FROM (SELECT ssm_row, one.transcript.gene.gene_id AS gene_id,
               one.transcript.annotation.vep_impact AS impact
             FROM (SELECT ssm_row, unnest(consequence) AS one FROM read_ssms))
       JOIN genes USING (gene_id) ORDER BY ssm_row, gene_row`,
    `CREATE TABLE occurrences AS
       SELECT ssm_row, case_row
       FROM (SELECT ssm.ssm_id AS ssm_id, "case".case_id AS case_id
             FROM read_json(${source('ssm_occurrences')}, columns = {
               ssm: 'STRUCT(ssm_id VARCHAR)', "case": 'STRUCT(case_id VARCHAR)'}))
       JOIN read_ssms USING (ssm_id) JOIN cases USING (case_id) ORDER BY ssm_row, case_row`,
    // Which gene is mutated in which case: the engine has this from the build of the release, too.
    `CREATE TABLE pairs AS
       SELECT DISTINCT gene_row, case_row, project
       FROM occurrences JOIN ssm_genes USING (ssm_row) JOIN cases USING (case_row)
       ORDER BY gene_row, case_row`,
  ]
}

/** Rows of a chunk, as DuckDB has them. */
const CHUNK_ROWS = 2048
/** Genes whose lists are made at a time, so that memory does for them. */
const LIST_GENES = 1000

async function loadExpression(connection: DuckDBConnection, folder: string): Promise<void> {
  const { genes, cases } = await readNames(folder)
  await connection.run(
    `CREATE TABLE matrix_genes (gene_row INTEGER, gene_id VARCHAR, symbol VARCHAR)`,
  )
  const rows = await connection.createAppender('matrix_genes')
  for (const [row, { id, symbol }] of genes.entries()) {
    rows.appendInteger(row)
    rows.appendVarchar(id)
    rows.appendVarchar(symbol)
    rows.endRow()
  }
  rows.closeSync()
  await connection.run(`CREATE TABLE matrix_cases (case_row USMALLINT, case_id VARCHAR)`)
  const columns = await connection.createAppender('matrix_cases')
  for (const [column, id] of cases.entries()) {
    columns.appendUSmallInt(column)
    columns.appendVarchar(id)
    columns.endRow()
  }
  columns.closeSync()
  await connection.run(`CREATE TEMP TABLE read_values (value DOUBLE)`)
  await appendValues(connection, folder)
  const [row, column] = [`rowid // ${cases.length}`, `rowid % ${cases.length}`]
  await connection.run(
    `CREATE TABLE expression AS
       SELECT (${row})::INTEGER AS gene_row, (${column})::USMALLINT AS case_row, value
       FROM read_values ORDER BY rowid`,
  )
  await connection.run(`CREATE TABLE expression_lists (gene_row INTEGER, "values" DOUBLE[])`)
  for (let gene = 0; gene < genes.length; gene += LIST_GENES) {
    await connection.run(
      `INSERT INTO expression_lists
         SELECT gene_row, list(value ORDER BY case_row) FROM expression
         WHERE gene_row >= ${gene} AND gene_row < ${gene + LIST_GENES}
         GROUP BY gene_row ORDER BY gene_row`,
    )
  }
}

async function appendValues(connection: DuckDBConnection, folder: string): Promise<void> {
  const appender = await connection.createAppender('read_values')
  const file = await open(valuesPath(folder))
  try {
    const numbers = new Uint32Array(CHUNK_ROWS)
    for (;;) {
      const { bytesRead } = await file.read(numbers)
      const count = bytesRead / 4
      if (count === 0) break
      const chunk = DuckDBDataChunk.create([DOUBLE], count)
      const values = Array.from(numbers.subarray(0, count), (number) => number / FIXED_SCALE)
      chunk.setColumnValues(0, values)
      appender.appendDataChunk(chunk)
    }
  } finally {
    await file.close()
    appender.closeSync()
  }
}

/** Loads all tables. */
export async function loadTables(
  connection: DuckDBConnection,
  { documents, matrix }: { readonly documents: string; readonly matrix: string },
): Promise<void> {
  for (const statement of mutationStatements(documents)) await connection.run(statement)
  await loadExpression(connection, matrix)
  for (const statement of ['CHECKPOINT', 'ANALYZE']) await connection.run(statement)
}

/** What pandas is given, by the name of its file. */
const FRAMES = {
  cases: `SELECT case_row, case_id, project, categories, has_ssm::INTEGER AS has_ssm FROM cases`,
  genes: `SELECT * FROM genes`,
  ssm_genes: `SELECT * FROM ssm_genes`,
  occurrences: `SELECT * FROM occurrences`,
  pairs: `SELECT gene_row, case_row FROM pairs`,
} as const

/** Writes tables of mutations as CSV. */
export async function writeFrames(connection: DuckDBConnection, folder: string): Promise<void> {
  for (const [name, select] of Object.entries(FRAMES)) {
    const path = join(folder, `${name}.csv`)
    await connection.run(`COPY (${select}) TO ${quoted(path)} (FORMAT csv, HEADER true)`)
  }
}
