import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { DuckDBAppender } from '@duckdb/node-api'
import { type Json, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import type { VersionStep } from '../files/versions/step.ts'
import { appendNumber, appendText, type Database, numberOf, openDatabase } from './database.ts'
import { type Part, RANKS } from './split-record.ts'
import { type Place, Spool } from './spool.ts'

/** Parts whose text is remembered so that it is staged once: a million files name few cases. */
const MAX_REMEMBERED = 1_000_000
/** Texts of samples whose place is remembered: files of one aliquot mostly say the same of it. */
const MAX_TEXTS = 100_000
/** Bytes of a checksum that stand for a text. */
const DIGEST_LENGTH = 12

const TABLES = ['parts', 'names', 'steps', 'specimens', 'links'] as const

/**
 * Everything that the sources said, on disk: texts of parts in a spool, and which record they
 * belong to in a database that sorts them. Memory does not grow with the sources.
 */
export class Staging {
  readonly spool: Spool
  readonly database: Database
  /** Project of each case by the case's id, as parts name them. */
  readonly projectOfCase = new Map<string, string>()
  /** What was given to import; rows name their source by its position. */
  readonly sources: string[] = ['the current release']
  readonly #parts: DuckDBAppender
  readonly #names: DuckDBAppender
  readonly #steps: DuckDBAppender
  readonly #specimens: DuckDBAppender
  readonly #links: DuckDBAppender
  readonly #seen = new Set<string>()
  readonly #texts = new Map<string, Place>()
  #line = 0
  #open = true
  #isClosed = false

  private constructor(
    spool: Spool,
    database: Database,
    appenders: Readonly<Record<(typeof TABLES)[number], DuckDBAppender>>,
  ) {
    this.spool = spool
    this.database = database
    this.#parts = appenders.parts
    this.#names = appenders.names
    this.#steps = appenders.steps
    this.#specimens = appenders.specimens
    this.#links = appenders.links
  }

  static async open(folder: string, threads: number): Promise<Staging> {
    const database = await openDatabase(folder, threads)
    const { connection } = database
    await connection.run(`
      CREATE TABLE parts (dataset UTINYINT, id VARCHAR, rank UTINYINT, place DOUBLE,
        length DOUBLE, described BOOLEAN);
      CREATE TABLE names (dataset UTINYINT, id VARCHAR, name VARCHAR, size DOUBLE, made BOOLEAN,
        source UINTEGER, line UINTEGER);
      CREATE TABLE steps (old_id VARCHAR, new_id VARCHAR, rank UTINYINT, place DOUBLE,
        length DOUBLE);
      CREATE TABLE specimens (case_id VARCHAR, rank UTINYINT, place DOUBLE, length DOUBLE);
      CREATE TABLE links (file_id VARCHAR, case_id VARCHAR, rank UTINYINT, place DOUBLE,
        length DOUBLE, cases UINTEGER, source UINTEGER, line UINTEGER)`)
    const appenders: Partial<Record<(typeof TABLES)[number], DuckDBAppender>> = {}
    for (const table of TABLES) appenders[table] = await connection.createAppender(table)
    const spool = new Spool(join(folder, 'parts.spool'))
    return new Staging(spool, database, appenders as Required<typeof appenders>)
  }

  /** What is put from now on is from another source. */
  from(source: string): void {
    this.sources.push(source)
    this.#line = 0
  }

  /** What is put from now on is from another line of the source. */
  atLine(line: number): void {
    this.#line = line
  }

  put(part: Part): void {
    const { dataset, id, isMade, key, rank, isDescribed } = part
    if (dataset === 'cases') this.#noteProject(part)
    const text = JSON.stringify(this.#takeSpecimens(part))
    // Records that name themselves come once; what is inside of others is said again and again.
    const isInside = rank === RANKS.embedded || rank === RANKS.hearsay
    if (isInside && this.#isRepeated(text, `${dataset} ${rank} `)) return
    const { offset, length } = this.spool.add(text)
    const parts = this.#parts
    parts.appendUTinyInt(DATASET_NAMES.indexOf(dataset))
    parts.appendVarchar(id)
    parts.appendUTinyInt(rank)
    parts.appendDouble(offset)
    parts.appendDouble(length)
    parts.appendBoolean(isDescribed)
    parts.endRow()
    if (key) this.#putName(dataset, id, key.name, key.size, isMade)
  }

  /** A file that was replaced by another one; it is history, not a record. */
  putStep(step: VersionStep, rank: number): void {
    const { offset, length } = this.spool.add(JSON.stringify(step))
    const steps = this.#steps
    steps.appendVarchar(step.id)
    appendText(steps, step.next?.id)
    steps.appendUTinyInt(rank)
    steps.appendDouble(offset)
    steps.appendDouble(length)
    steps.endRow()
  }

  /** Makes what was put so far seen by queries. */
  flush(): void {
    for (const appender of this.#appenders) appender.flushSync()
  }

  /** Nothing is put any more; what was put can be queried. */
  seal(): void {
    this.#open = false
    for (const appender of this.#appenders) appender.closeSync()
    this.#seen.clear()
    this.#texts.clear()
  }

  /** How many records there are. Call it after `seal`. */
  records(): Promise<number> {
    return numberOf(this.database, 'SELECT count(DISTINCT (dataset, id)) FROM parts')
  }

  /** Again does no harm. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#open) this.seal()
    this.spool.close()
    this.database.close()
  }

  get #appenders(): readonly DuckDBAppender[] {
    return [this.#parts, this.#names, this.#steps, this.#specimens, this.#links]
  }

  /**
   * Puts what a part says of specimens, and which cases a file is of, where all that is said of one
   * case is found together (biospecimen/settle.ts). Gives the rest of the part's document.
   */
  #takeSpecimens({ dataset, id, rank, document }: Part): JsonObject {
    if (dataset === 'cases' && Array.isArray(document.samples)) {
      const { samples, ...rest } = document
      const place = this.#placeOf(samples)
      if (!place) return document
      const specimens = this.#specimens
      specimens.appendVarchar(id)
      specimens.appendUTinyInt(rank)
      specimens.appendDouble(place.offset)
      specimens.appendDouble(place.length)
      specimens.endRow()
      return rest
    }
    if (dataset === 'files' && Array.isArray(document.cases)) {
      const { cases, ...rest } = document
      const linked = objectsIn(cases)
      for (const each of linked) this.#putLink(id, each, linked.length)
      return rest
    }
    return document
  }

  #putLink(fileId: string, linked: JsonObject, cases: number): void {
    const place = this.#placeOf(linked.samples)
    const links = this.#links
    links.appendVarchar(fileId)
    links.appendVarchar(String(linked.case_id))
    links.appendUTinyInt(RANKS.hearsay)
    appendNumber(links, place?.offset)
    appendNumber(links, place?.length)
    links.appendUInteger(cases)
    links.appendUInteger(this.sources.length - 1)
    links.appendUInteger(this.#line)
    links.endRow()
  }

  /** Where the text of a list of samples is; `undefined` when there is none. */
  #placeOf(samples: Json | undefined): Place | undefined {
    if (!Array.isArray(samples) || samples.length === 0) return undefined
    const text = JSON.stringify(samples)
    const digest = digestOf(text)
    const place = this.#texts.get(digest) ?? this.spool.add(text)
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear()
    this.#texts.set(digest, place)
    return place
  }

  #putName(
    dataset: DatasetName,
    id: string,
    name: string,
    size: number | undefined,
    isMade: boolean,
  ): void {
    const names = this.#names
    names.appendUTinyInt(DATASET_NAMES.indexOf(dataset))
    names.appendVarchar(id)
    names.appendVarchar(name)
    appendNumber(names, size)
    names.appendBoolean(isMade)
    names.appendUInteger(this.sources.length - 1)
    names.appendUInteger(this.#line)
    names.endRow()
  }

  #noteProject({ id, document }: Part): void {
    const { project } = document
    if (typeof project !== 'object' || project === null || Array.isArray(project)) return
    const projectId = textIn((project as { readonly project_id?: string }).project_id)
    if (projectId !== undefined) this.projectOfCase.set(id, projectId)
  }

  #isRepeated(text: string, kind: string): boolean {
    const digest = kind + digestOf(text)
    if (this.#seen.has(digest)) return true
    if (this.#seen.size >= MAX_REMEMBERED) this.#seen.clear()
    this.#seen.add(digest)
    return false
  }
}

const digestOf = (text: string) => hash('sha1', text, 'binary').slice(0, DIGEST_LENGTH)
