import type { DuckDBConnection } from '@duckdb/node-api'

// The flat tables that DuckDB is given. Rows are in order of ids, as ours are. What a query groups or
// compares is an ENUM, which is DuckDB's dictionary code.

/** Columns of `files` that are compared in lower case (data-commons.md 1.4), and those compared as written. */
const FOLDED = { access: 'access', data_category: 'data_category', data_format: 'data_format' }
const MORE_FOLDED = { platform: 'platform' }
const EXACT = {
  data_type: 'data_type',
  experimental_strategy: 'experimental_strategy',
  workflow_type: 'analysis.workflow_type',
}

/** Between the values of a set; in no value. */
const BETWEEN = 'chr(31)'

const SAMPLE = 'STRUCT(sample_type VARCHAR, tissue_type VARCHAR)'

const quoted = (path: string) => `'${path.replaceAll("'", "''")}'`

/** The statements that load a folder of `<dataset>.ndjson`, in order. */
function loadingStatements(folder: string): string[] {
  const source = (name: string) => quoted(`${folder}/${name}.ndjson`)
  const enumOf = (name: string, expression: string, table: string) =>
    `CREATE TYPE ${name}_values AS ENUM (
       SELECT DISTINCT ${expression} AS value FROM ${table} WHERE value IS NOT NULL ORDER BY value)`
  const folded = Object.entries({ ...FOLDED, ...MORE_FOLDED })
  const exact = Object.entries(EXACT)
  return [
    `CREATE TEMP TABLE read_cases AS
       SELECT (row_number() OVER () - 1)::INTEGER AS case_row, case_id,
         project.project_id AS project, coalesce(lower(primary_site), '') AS site
       FROM read_json(${source('cases')}, format = 'newline_delimited', columns = {
         case_id: 'VARCHAR', project: 'STRUCT(project_id VARCHAR)', primary_site: 'VARCHAR'})`,
    `CREATE TEMP TABLE read_files AS
       SELECT (row_number() OVER () - 1)::INTEGER AS file_row, *
       FROM read_json(${source('files')}, format = 'newline_delimited', columns = {
         file_id: 'VARCHAR', file_name: 'VARCHAR', md5sum: 'VARCHAR', file_size: 'BIGINT',
         state: 'VARCHAR', access: 'VARCHAR', data_category: 'VARCHAR', data_format: 'VARCHAR',
         data_type: 'VARCHAR', experimental_strategy: 'VARCHAR', platform: 'VARCHAR',
         analysis: 'STRUCT(workflow_type VARCHAR)',
         cases: 'STRUCT(case_id VARCHAR, samples ${SAMPLE}[])[]'})`,
    `CREATE TEMP TABLE read_edges AS
       SELECT file_row, place, case_row, cases.case_id, project, site
       FROM (SELECT file_row, unnest(cases).case_id AS case_id,
               generate_subscripts(cases, 1) AS place FROM read_files) AS edges
       JOIN read_cases AS cases USING (case_id)`,
    `CREATE TEMP TABLE read_samples AS
       SELECT file_row, coalesce(lower(sample.sample_type), '') AS sample_type,
         coalesce(lower(sample.tissue_type), '') AS tissue_type
       FROM (SELECT file_row, unnest(one.samples) AS sample
             FROM (SELECT file_row, unnest(cases) AS one FROM read_files))`,
    // A field with several values: one code for each set of values that some file has.
    setsOf('site', 'read_edges'),
    setsOf('sample_type', 'read_samples'),
    ...folded.map(([name, path]) => enumOf(name, path, 'read_files')),
    ...folded.map(([name, path]) => enumOf(`${name}_folded`, `lower(${path})`, 'read_files')),
    ...exact.map(([name, path]) => enumOf(name, path, 'read_files')),
    enumOf('project', 'project', 'read_edges'),
    enumOf('state', 'state', 'read_files'),
    enumOf('sites', 'site_set', 'read_site_sets'),
    enumOf('sample_types', 'sample_type_set', 'read_sample_type_sets'),
    enumOf('sample_type', 'sample_type', 'read_samples'),
    enumOf('tissue_type', 'tissue_type', 'read_samples'),
    `CREATE TABLE files AS
       SELECT file_row, file_id, file_name, md5sum, file_size, state::state_values AS state,
         ${folded.map(([name, path]) => `${path}::${name}_values AS ${name},`).join('\n')}
         ${folded
           .map(([name, path]) => `lower(${path})::${name}_folded_values AS ${name}_folded,`)
           .join('\n')}
         ${exact.map(([name, path]) => `${path}::${name}_values AS ${name},`).join('\n')}
         project::project_values AS project,
         site_set::sites_values AS sites, sample_type_set::sample_types_values AS sample_types,
         case_ids,
         concat_ws(chr(9), file_id, file_name, md5sum, file_size, state) AS line
       FROM read_files
       LEFT JOIN (SELECT file_row, list(case_id ORDER BY place) AS case_ids,
                    CASE WHEN count(DISTINCT project) = 1 THEN any_value(project)
                         ELSE error('a file of several projects') END AS project
                  FROM read_edges GROUP BY file_row) USING (file_row)
       LEFT JOIN read_site_sets USING (file_row)
       LEFT JOIN read_sample_type_sets USING (file_row)
       ORDER BY file_row`,
    valuesOf('sites'),
    valuesOf('sample_types'),
    `CREATE TABLE file_case AS
       SELECT file_row, case_row, data_type, experimental_strategy
       FROM read_edges JOIN files USING (file_row) ORDER BY file_row, case_row`,
    `CREATE TABLE case_file AS SELECT * FROM file_case ORDER BY case_row, file_row`,
    `CREATE TABLE file_sample AS
       SELECT file_row, sample_type::sample_type_values AS sample_type,
         tissue_type::tissue_type_values AS tissue_type
       FROM read_samples ORDER BY file_row`,
    // One order of the files, as an index of a row store keeps it.
    `CREATE TABLE files_by_size AS
       SELECT * EXCLUDE (case_ids, line) FROM files ORDER BY file_size DESC, file_row`,
    `CREATE TABLE documents AS
       SELECT (json->>'$.file_id')::UUID AS file_id, json::VARCHAR AS document
       FROM read_ndjson_objects(${source('files')})`,
    `CREATE UNIQUE INDEX documents_by_id ON documents (file_id)`,
    `CHECKPOINT`,
    `ANALYZE`,
  ]
}

function setsOf(name: string, table: string): string {
  return `CREATE TEMP TABLE read_${name}_sets AS
    SELECT file_row, string_agg(${name}, ${BETWEEN} ORDER BY ${name}) AS ${name}_set
    FROM (SELECT DISTINCT file_row, ${name} FROM ${table}) GROUP BY file_row`
}

/** The values of each set, to take counts by set apart. */
function valuesOf(sets: string): string {
  return `CREATE TABLE values_of_${sets} AS
    SELECT ${sets}, unnest(string_split(${sets}::VARCHAR, ${BETWEEN})) AS value
    FROM (SELECT DISTINCT ${sets} FROM files WHERE ${sets} IS NOT NULL)`
}

/** Loads all tables. */
export async function loadTables(
  connection: DuckDBConnection,
  folder: string,
  note: (text: string) => void,
): Promise<void> {
  for (const statement of loadingStatements(folder)) {
    const start = performance.now()
    await connection.run(statement)
    const seconds = (performance.now() - start) / 1000
    const head = statement.replace(/\s+/g, ' ').slice(0, 60)
    if (seconds > 1) note(`  ${seconds.toFixed(1)} s  ${head}`)
  }
}
