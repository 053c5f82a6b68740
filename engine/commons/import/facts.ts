import type { DuckDBAppender } from '@duckdb/node-api'
import { isObject, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { appendText, type Database, rowsOf } from './database.ts'
import type { ProjectFacts } from './finish-project.ts'

/** Collects facts from files and cases in database tables, to compute the summaries of cases and projects. */
export class Facts {
  readonly #database: Database
  readonly #files: DuckDBAppender
  readonly #cases: DuckDBAppender
  readonly #retired: DuckDBAppender
  /** Number of the next file. */
  #file = 0
  /** Whether any file has a case. */
  hasLinks = false

  private constructor(
    database: Database,
    [files, cases, retired]: readonly [DuckDBAppender, DuckDBAppender, DuckDBAppender],
  ) {
    this.#database = database
    this.#files = files
    this.#cases = cases
    this.#retired = retired
  }

  static async open(database: Database): Promise<Facts> {
    const { connection } = database
    await connection.run(`
      CREATE TABLE file_facts (file INTEGER, case_id VARCHAR, data_category VARCHAR,
        experimental_strategy VARCHAR, size DOUBLE);
      CREATE TABLE case_facts (case_id VARCHAR, project VARCHAR, primary_site VARCHAR,
        disease_type VARCHAR);
      CREATE TABLE retired (id VARCHAR, document VARCHAR)`)
    return new Facts(database, [
      await connection.createAppender('file_facts'),
      await connection.createAppender('case_facts'),
      await connection.createAppender('retired'),
    ])
  }

  addFile(file: JsonObject): void {
    const appender = this.#files
    const size = Number(textIn(file.file_size) ?? 0)
    for (const each of objectsIn(file.cases)) {
      this.hasLinks = true
      appender.appendInteger(this.#file)
      appendText(appender, textIn(each.case_id))
      appendText(appender, textIn(file.data_category))
      appendText(appender, textIn(file.experimental_strategy))
      appender.appendDouble(Number.isFinite(size) ? size : 0)
      appender.endRow()
    }
    this.#file++
  }

  /**
   * Adds a file that another file replaced.
   * @param version what the version history stores about it, as JSON
   */
  addRetired(id: string, version: JsonObject): void {
    this.#retired.appendVarchar(id)
    this.#retired.appendVarchar(JSON.stringify(version))
    this.#retired.endRow()
  }

  /**
   * Closes the tables of files and of replaced files. Must be called after the last `addFile` and
   * `addRetired`.
   */
  endFiles(): void {
    this.#files.closeSync()
    this.#retired.closeSync()
  }

  addCase(id: string, record: JsonObject): void {
    const appender = this.#cases
    const project = isObject(record.project) ? textIn(record.project.project_id) : undefined
    appender.appendVarchar(id)
    appendText(appender, project)
    appendText(appender, textIn(record.primary_site))
    appendText(appender, textIn(record.disease_type))
    appender.endRow()
  }

  endCases(): void {
    this.#cases.closeSync()
  }

  /** Returns the query for the summaries of all cases with files: columns id and extra, a summary as JSON. */
  get caseSummaries(): string {
    return CASE_SUMMARIES
  }

  async projects(): Promise<ReadonlyMap<string, ProjectFacts>> {
    const facts = new Map<string, ProjectFacts>()
    for await (const rows of rowsOf(this.#database, PROJECT_FACTS)) {
      for (const [id, json] of rows) {
        const { files, sites, diseases, named, ...summary } = JSON.parse(String(json))
        facts.set(String(id), {
          summary: files > 0 ? summary : { case_count: summary.case_count, ...NO_FILES },
          hasFiles: files > 0,
          primarySites: sites ?? [],
          diseaseTypes: diseases ?? [],
          isOneDisease: diseases?.length === 1 && named === summary.case_count,
        })
      }
    }
    return facts
  }
}

const NO_FILES = { file_count: 0, file_size: 0 }

const listOf = (table: string, key: string, column: string) => `
  (SELECT ${key}, list({'file_count': files, 'case_count': cases, '${column}': ${column}}
      ORDER BY ${column}) AS ${column}
    FROM (SELECT ${key}, ${column}, CAST(count(DISTINCT file) AS INTEGER) AS files,
        CAST(count(DISTINCT case_id) AS INTEGER) AS cases
      FROM ${table} WHERE ${column} IS NOT NULL GROUP BY ${key}, ${column})
    GROUP BY ${key})`

const CASE_LIST = (column: string) => `
  (SELECT case_id, list({'file_count': files, '${column}': ${column}} ORDER BY ${column}) AS ${column}
    FROM (SELECT case_id, ${column}, CAST(count(*) AS INTEGER) AS files
      FROM file_facts WHERE ${column} IS NOT NULL GROUP BY case_id, ${column})
    GROUP BY case_id)`

const CASE_SUMMARIES = `
  SELECT total.case_id AS id, CAST(to_json({'file_count': total.files, 'file_size': total.bytes,
      'data_categories': coalesce(c.data_category, []),
      'experimental_strategies': coalesce(s.experimental_strategy, [])}) AS VARCHAR) AS extra
  FROM (SELECT case_id, CAST(count(*) AS INTEGER) AS files, CAST(sum(size) AS BIGINT) AS bytes
      FROM file_facts GROUP BY case_id) total
    LEFT JOIN ${CASE_LIST('data_category')} c ON c.case_id = total.case_id
    LEFT JOIN ${CASE_LIST('experimental_strategy')} s ON s.case_id = total.case_id`

const PROJECT_FACTS = `
  WITH facts AS (
    SELECT DISTINCT c.project, f.file, f.case_id, f.data_category, f.experimental_strategy, f.size
    FROM file_facts f JOIN case_facts c ON c.case_id = f.case_id WHERE c.project IS NOT NULL)
  SELECT cases.project, CAST(to_json({
      'case_count': cases.cases, 'file_count': coalesce(files.files, 0),
      'file_size': coalesce(files.bytes, 0), 'files': coalesce(files.files, 0),
      'data_categories': coalesce(c.data_category, []),
      'experimental_strategies': coalesce(s.experimental_strategy, []),
      'sites': cases.sites, 'diseases': cases.diseases,
      'named': cases.named}) AS VARCHAR)
  FROM (SELECT project, CAST(count(*) AS INTEGER) AS cases,
        CAST(count(disease_type) AS INTEGER) AS named,
        list_sort(list(DISTINCT primary_site) FILTER (WHERE primary_site IS NOT NULL)) AS sites,
        list_sort(list(DISTINCT disease_type) FILTER (WHERE disease_type IS NOT NULL)) AS diseases
      FROM case_facts WHERE project IS NOT NULL GROUP BY project) cases
    LEFT JOIN (SELECT project, CAST(count(*) AS INTEGER) AS files, CAST(sum(size) AS BIGINT) AS bytes
      FROM (SELECT DISTINCT project, file, size FROM facts) GROUP BY project) files
      ON files.project = cases.project
    LEFT JOIN ${listOf('facts', 'project', 'data_category')} c ON c.project = cases.project
    LEFT JOIN ${listOf('facts', 'project', 'experimental_strategy')} s ON s.project = cases.project`
