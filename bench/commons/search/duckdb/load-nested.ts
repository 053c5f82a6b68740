import type { DuckDBConnection } from '@duckdb/node-api'
import { FILE_FIELDS, placesOf, SAMPLE_FIELDS } from '../layout.ts'
import { quoted } from '../sql/columns.ts'

// Files with their samples, as DuckDB is given them for exports: `nested` as a client gets them in JSON,
// lists of structs; `flat` with a column for every place that occurs, as in TSV. Both are in order of
// projects, which are what exports are chosen by: files of a project lie together, and no other row is
// looked at.

const SAMPLES = `STRUCT(samples STRUCT(${SAMPLE_FIELDS.map((name) => `${name} VARCHAR`)})[])[]`

/** Makes both tables. `tables` is the database file that load.ts made of the same documents. */
export async function loadNested(
  connection: DuckDBConnection,
  documents: string,
  tables: string,
): Promise<void> {
  const fields = Object.entries({ ...FILE_FIELDS, cases: SAMPLES })
  const columns = fields.map(([name, type]) => `${name}: '${type}'`)
  await connection.run(`ATTACH ${quoted(tables)} AS tables (READ_ONLY)`)
  await connection.run(
    `CREATE TABLE nested AS
       SELECT file_id AS id, read.*, project::VARCHAR AS project
       FROM read_json(${quoted(`${documents}/files.ndjson`)}, format = 'newline_delimited',
         columns = {${columns}}) AS read
       JOIN (SELECT file_id, project FROM tables.files) USING (file_id)
       ORDER BY project, file_id`,
  )
  const widths = await connection.runAndReadAll(
    `SELECT max(len(acl)), max(len(cases)),
       (SELECT max(len(one.samples)) FROM (SELECT unnest(cases) AS one FROM nested))
     FROM nested`,
  )
  const [acl = 0, cases = 0, samples = 0] = (widths.getRows()[0] ?? []).map(Number)
  const flat = placesOf({ acl, cases, samples }).map((name) => `${takenApart(name)} AS "${name}"`)
  await connection.run(
    `CREATE TABLE flat AS SELECT id, ${flat}, project FROM nested ORDER BY project, file_id`,
  )
  await connection.run('CHECKPOINT')
  await connection.run('ANALYZE')
}

/** Where `nested` has what `flat` has under that name; lists count from 1 here. */
export function takenApart(name: string): string {
  return name.replace(/\.(\d+)/g, (_, place) => `[${Number(place) + 1}]`)
}
