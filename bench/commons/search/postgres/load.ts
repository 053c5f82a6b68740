import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Cluster } from './cluster.ts'

// The documents that PostgreSQL is given. DuckDB has read them already and writes them as CSV.

/** What is searched of a file, its cases and samples included, apart from the document itself. */
const SEARCH = `to_json({
  access: access_folded, data_category: data_category_folded, data_format: data_format_folded,
  data_type: data_type, experimental_strategy: experimental_strategy, platform: platform_folded,
  workflow_type: workflow_type, project: project, file_size: file_size,
  case_ids: case_ids,
  sites: string_split(sites::VARCHAR, chr(31)),
  sample_types: string_split(sample_types::VARCHAR, chr(31)),
  samples: samples})`

const EXPORTS: Readonly<Record<string, string>> = {
  files: `
    SELECT file_row, file_id, file_name, ${SEARCH}, line FROM files
    LEFT JOIN (SELECT file_row, list(DISTINCT {sample_type: sample_type, tissue_type: tissue_type})
                 AS samples FROM file_sample GROUP BY file_row) USING (file_row)
    ORDER BY file_row`,
  documents: `SELECT rowid, file_id, document FROM documents ORDER BY rowid`,
  cases: `
    SELECT case_row, to_json({files: list(DISTINCT
      {data_type: data_type, experimental_strategy: experimental_strategy})})
    FROM case_file GROUP BY case_row ORDER BY case_row`,
  file_case: `SELECT file_row, case_row FROM file_case`,
}

const TABLES = [
  `CREATE TABLE files (
     file_row integer, file_id uuid, file_name text, search jsonb, line text,
     file_size bigint GENERATED ALWAYS AS ((search->>'file_size')::bigint) STORED)`,
  `CREATE TABLE documents (file_row integer, file_id uuid, document jsonb)`,
  `CREATE TABLE cases (case_row integer, search jsonb)`,
  `CREATE TABLE file_case (file_row integer, case_row integer)`,
]

/** The columns that conditions and facets name (sql/columns.ts), taken from the documents. */
const VIEW = `CREATE VIEW facts AS SELECT
  file_row, file_id, file_name, file_size, line, search,
  search->>'access' AS access_folded, search->>'data_category' AS data_category_folded,
  search->>'data_format' AS data_format_folded, search->>'data_type' AS data_type,
  search->>'experimental_strategy' AS experimental_strategy,
  search->>'platform' AS platform_folded, search->>'workflow_type' AS workflow_type,
  search->>'project' AS project, search->>'sites' AS sites,
  search->>'sample_types' AS sample_types
  FROM files`

const INDEXES = [
  `ALTER TABLE files ADD PRIMARY KEY (file_row)`,
  `ALTER TABLE documents ADD PRIMARY KEY (file_id)`,
  `CREATE UNIQUE INDEX ON documents (file_row)`,
  `CREATE INDEX ON files USING gin (search jsonb_path_ops) WITH (fastupdate = off)`,
  `CREATE INDEX ON cases USING gin (search jsonb_path_ops) WITH (fastupdate = off)`,
  ...['project', 'data_type', 'experimental_strategy', 'data_category', 'data_format'].map(
    (field) => `CREATE INDEX ON files ((search->>'${field}'))`,
  ),
  // Wide enough to answer a page without a filter by itself.
  `CREATE INDEX ON files (file_size DESC, file_row) INCLUDE (file_id, file_name)`,
  `CREATE INDEX ON file_case (file_row) INCLUDE (case_row)`,
]

/** Loads from DuckDB's tables; `folder` is for the files in between. */
export async function loadDocuments(
  cluster: Cluster,
  duck: DuckDBConnection,
  folder: string,
  note: (text: string) => void,
): Promise<void> {
  const client = await cluster.connect()
  const timed = async (sql: string) => {
    const start = performance.now()
    await client.query(sql)
    const seconds = (performance.now() - start) / 1000
    if (seconds > 1) note(`  ${seconds.toFixed(1)} s  ${sql.replace(/\s+/g, ' ').slice(0, 60)}`)
  }
  try {
    for (const sql of TABLES) await timed(sql)
    for (const [table, select] of Object.entries(EXPORTS)) {
      const path = join(folder, `${table}.csv`)
      await duck.run(`COPY (${select}) TO '${path}' (FORMAT csv, HEADER false)`)
      await chmod(path, 0o644)
      const columns = table === 'files' ? '(file_row, file_id, file_name, search, line)' : ''
      await timed(`COPY ${table} ${columns} FROM '${path}' (FORMAT csv)`)
      await rm(path)
    }
    for (const sql of [VIEW, ...INDEXES]) await timed(sql)
    for (const table of Object.keys(EXPORTS)) await timed(`VACUUM (FREEZE, ANALYZE) ${table}`)
    await timed('CHECKPOINT')
  } finally {
    await client.end()
  }
}

/** A folder that the server, which is another user, may read from and write to. */
export async function sharedFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  await chmod(path, 0o777)
  return path
}
