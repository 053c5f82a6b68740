import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { DuckDBAppender } from '@duckdb/node-api'
import { textIn } from '../../shared/input/json-value.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import type { VersionStep } from '../files/versions/step.ts'
import { appendNumber, appendText, type Database, numberOf, openDatabase } from './database.ts'
import { type Part, RANKS } from './split-record.ts'
import { Spool } from './spool.ts'

/** Parts whose text is remembered so that it is staged once: a million files name few cases. */
const MAX_REMEMBERED = 1_000_000
/** Bytes of a checksum that stand for a text. */
const DIGEST_LENGTH = 12

/**
 * Everything that the sources said, on disk: texts of parts in a spool, and which record they
 * belong to in a database that sorts them. Memory does not grow with the sources.
 */
export class Staging {
  readonly spool: Spool
  readonly database: Database
  /** Project of each case by the case's id, as parts name them. */
  readonly projectOfCase = new Map<string, string>()
  readonly #parts: DuckDBAppender
  readonly #names: DuckDBAppender
  readonly #steps: DuckDBAppender
  readonly #seen = new Set<string>()
  #open = true
  #isClosed = false

  private constructor(
    spool: Spool,
    database: Database,
    [parts, names, steps]: readonly [DuckDBAppender, DuckDBAppender, DuckDBAppender],
  ) {
    this.spool = spool
    this.database = database
    this.#parts = parts
    this.#names = names
    this.#steps = steps
  }

  static async open(folder: string, threads: number): Promise<Staging> {
    const database = await openDatabase(folder, threads)
    const { connection } = database
    await connection.run(`
      CREATE TABLE parts (dataset UTINYINT, id VARCHAR, rank UTINYINT, place DOUBLE,
        length DOUBLE, described BOOLEAN);
      CREATE TABLE names (dataset UTINYINT, id VARCHAR, name VARCHAR, size DOUBLE, made BOOLEAN);
      CREATE TABLE steps (old_id VARCHAR, new_id VARCHAR, rank UTINYINT, place DOUBLE,
        length DOUBLE)`)
    const appenders = [
      await connection.createAppender('parts'),
      await connection.createAppender('names'),
      await connection.createAppender('steps'),
    ] as const
    return new Staging(new Spool(join(folder, 'parts.spool')), database, appenders)
  }

  put(part: Part): void {
    const { dataset, id, isMade, key, rank, isDescribed, document } = part
    if (dataset === 'cases') this.#noteProject(part)
    const text = JSON.stringify(document)
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
    for (const appender of [this.#parts, this.#names, this.#steps]) appender.flushSync()
  }

  /** Nothing is put any more; what was put can be queried. */
  seal(): void {
    this.#open = false
    for (const appender of [this.#parts, this.#names, this.#steps]) appender.closeSync()
    this.#seen.clear()
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
    names.endRow()
  }

  #noteProject({ id, document }: Part): void {
    const { project } = document
    if (typeof project !== 'object' || project === null || Array.isArray(project)) return
    const projectId = textIn((project as { readonly project_id?: string }).project_id)
    if (projectId !== undefined) this.projectOfCase.set(id, projectId)
  }

  #isRepeated(text: string, kind: string): boolean {
    const digest = kind + hash('sha1', text, 'binary').slice(0, DIGEST_LENGTH)
    if (this.#seen.has(digest)) return true
    if (this.#seen.size >= MAX_REMEMBERED) this.#seen.clear()
    this.#seen.add(digest)
    return false
  }
}
