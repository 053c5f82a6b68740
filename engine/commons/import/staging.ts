import { join } from 'node:path'
import type { DuckDBAppender } from '@duckdb/node-api'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import type { VersionStep } from '../files/versions/step.ts'
import { appendNumber, appendText, type Database, numberOf, openDatabase } from './database.ts'
import type { SortedParts } from './part-sorter.ts'
import { naturalKey } from './record-id.ts'
import { SaidParts } from './said-parts.ts'
import { SortedRuns } from './sorted-runs.ts'
import { type Part, RANKS, type Rank } from './split-record.ts'
import { type Place, Spool } from './spool.ts'
import {
  type EntrySink,
  type NamedEntry,
  type PartEntry,
  type RepeatedText,
  type StagedText,
  type StagingTarget,
  stagePart,
  stageStep,
  stageWritten,
  type WrittenPart,
} from './staged-entries.ts'
import type { StagedPart } from './staged-part.ts'

/** Maximum number of parts remembered to avoid repeats: a million files may name only a few cases. */
const MAX_REMEMBERED = 1_000_000
const RANK_COUNT = Object.keys(RANKS).length
/** Maximum number of sample texts whose place is remembered. Files of one aliquot mostly repeat the same text. */
const MAX_TEXTS = 100_000

const TABLES = ['parts', 'names', 'steps', 'entities', 'specimens', 'links'] as const

/**
 * All parts from the sources, on disk. A spool has their texts, and a database has an entry for each and sorts
 * them. Memory does not grow with the sources.
 */
export class Staging implements StagingTarget, EntrySink {
  readonly spool: Spool
  /** Parts that are not in the database, because they are already sorted. */
  readonly sorted: SortedRuns
  readonly database: Database
  /** Folder for temporary files of the import. */
  readonly folder: string
  /** Number of the release being made, once it is known. */
  release: string | undefined
  /** Project of each case named by a part, keyed by case id. */
  readonly projectOfCase = new Map<string, string>()
  /** Names of the sources. Rows refer to a source by its index. */
  readonly sources: string[] = ['the current release']
  readonly #parts: DuckDBAppender
  readonly #names: DuckDBAppender
  readonly #steps: DuckDBAppender
  readonly #entities: DuckDBAppender
  readonly #specimens: DuckDBAppender
  readonly #links: DuckDBAppender
  readonly #said = new SaidParts(MAX_REMEMBERED)
  readonly #texts = new Map<string, Place>()
  #line = 0
  #open = true
  #isClosed = false

  private constructor(
    spool: Spool,
    database: Database,
    folder: string,
    appenders: Readonly<Record<(typeof TABLES)[number], DuckDBAppender>>,
  ) {
    this.spool = spool
    this.sorted = new SortedRuns(spool)
    this.database = database
    this.folder = folder
    this.#parts = appenders.parts
    this.#names = appenders.names
    this.#steps = appenders.steps
    this.#entities = appenders.entities
    this.#specimens = appenders.specimens
    this.#links = appenders.links
  }

  static async open(folder: string, threads: number): Promise<Staging> {
    const database = await openDatabase(folder, threads)
    const { connection } = database
    await connection.run(`
      CREATE TABLE parts (dataset UTINYINT, id VARCHAR, rank UTINYINT, place DOUBLE,
        length DOUBLE, described BOOLEAN, ending DOUBLE);
      CREATE TABLE names (dataset UTINYINT, id VARCHAR, name VARCHAR, size DOUBLE, made BOOLEAN,
        source UINTEGER, line UINTEGER);
      CREATE TABLE steps (old_id VARCHAR, new_id VARCHAR, rank UTINYINT, place DOUBLE,
        length DOUBLE);
      CREATE TABLE entities (case_id VARCHAR, entity VARCHAR, source UINTEGER, line UINTEGER);
      CREATE TABLE specimens (case_id VARCHAR, rank UTINYINT, place DOUBLE, length DOUBLE,
        source UINTEGER, line UINTEGER);
      CREATE TABLE links (file_id VARCHAR, case_id VARCHAR, rank UTINYINT, place DOUBLE,
        length DOUBLE, cases UINTEGER, source UINTEGER, line UINTEGER)`)
    const appenders: Partial<Record<(typeof TABLES)[number], DuckDBAppender>> = {}
    for (const table of TABLES) appenders[table] = await connection.createAppender(table)
    const spool = new Spool(join(folder, 'parts.spool'))
    return new Staging(spool, database, folder, appenders as Required<typeof appenders>)
  }

  from(source: string): void {
    this.sources.push(source)
    this.#line = 0
  }

  atLine(line: number): void {
    this.#line = line
  }

  put(part: Part): void {
    stagePart(part, this)
  }

  putWritten(part: WrittenPart): void {
    stageWritten(part, this)
  }

  putStep(step: VersionStep, rank: Rank): void {
    stageStep(step, rank, this)
  }

  /**
   * Always returns false. Repeats are found by their digests instead (`putPart`), because texts would take memory
   * that grows with the sources.
   */
  isRepeated(): boolean {
    return false
  }

  putPart(entry: PartEntry, text: StagedText, digest: string | undefined): void {
    const { dataset, id, isMade, key, rank, isDescribed, ending } = entry
    const datasetIndex = DATASET_NAMES.indexOf(dataset)
    if (digest !== undefined && this.#said.add(datasetIndex * RANK_COUNT + rank, digest)) return
    const { offset, length: bytes } = this.spool.add(text)
    const length = bytes - (ending ?? 0)
    appendPart(this.#parts, dataset, { id, rank, place: offset, length, isDescribed, ending })
    this.putName({ dataset, id, isMade, key })
  }

  /** Adds parts that a thread has sorted. */
  putSorted(parts: SortedParts): void {
    this.sorted.add(parts)
  }

  /** Moves sorted parts of a dataset into the database, where SQL can read and change them. */
  async unsort(dataset: DatasetName): Promise<void> {
    if (this.sorted.count(dataset) === 0) return
    const { connection } = this.database
    const parts = await connection.createAppender('parts')
    // Sorted files are staged without their names.
    const names = dataset === 'files' ? await connection.createAppender('names') : undefined
    for (const part of this.sorted.takeAll(dataset)) {
      appendPart(parts, dataset, part)
      if (!names) continue
      const { id, length } = part
      const key = naturalKey(dataset, JSON.parse(part.bytes().toString('utf8', 0, length)))
      appendName(names, { dataset, id, isMade: false, key }, NO_PLACE)
    }
    parts.closeSync()
    names?.closeSync()
  }

  putProject(caseId: string, projectId: string): void {
    this.projectOfCase.set(caseId, projectId)
  }

  putName(entry: NamedEntry): void {
    appendName(this.#names, entry, { source: this.sources.length - 1, line: this.#line })
  }

  putEntity(caseId: string, entity: string): void {
    const entities = this.#entities
    entities.appendVarchar(caseId)
    entities.appendVarchar(entity)
    entities.appendUInteger(this.sources.length - 1)
    entities.appendUInteger(this.#line)
    entities.endRow()
  }

  putSpecimens(caseId: string, rank: Rank, samples: RepeatedText): void {
    const { offset, length } = this.#placeOf(samples)
    const specimens = this.#specimens
    specimens.appendVarchar(caseId)
    specimens.appendUTinyInt(rank)
    specimens.appendDouble(offset)
    specimens.appendDouble(length)
    specimens.appendUInteger(this.sources.length - 1)
    specimens.appendUInteger(this.#line)
    specimens.endRow()
  }

  putLink(
    {
      fileId,
      caseId,
      cases,
    }: { readonly fileId: string; readonly caseId: string; readonly cases: number },
    samples: RepeatedText | undefined,
  ): void {
    const place = samples && this.#placeOf(samples)
    const links = this.#links
    links.appendVarchar(fileId)
    links.appendVarchar(caseId)
    links.appendUTinyInt(RANKS.hearsay)
    appendNumber(links, place?.offset)
    appendNumber(links, place?.length)
    links.appendUInteger(cases)
    links.appendUInteger(this.sources.length - 1)
    links.appendUInteger(this.#line)
    links.endRow()
  }

  putStepText(
    { id, next }: { readonly id: string; readonly next?: string | undefined },
    rank: Rank,
    text: StagedText,
  ): void {
    const { offset, length } = this.spool.add(text)
    const steps = this.#steps
    steps.appendVarchar(id)
    appendText(steps, next)
    steps.appendUTinyInt(rank)
    steps.appendDouble(offset)
    steps.appendDouble(length)
    steps.endRow()
  }

  /** Makes everything added so far visible to queries. */
  flush(): void {
    for (const appender of this.#appenders) appender.flushSync()
  }

  /** Ends the adding, so that everything can be queried. */
  seal(): void {
    this.#open = false
    for (const appender of this.#appenders) appender.closeSync()
    this.#said.clear()
    this.#texts.clear()
  }

  /** Returns the number of parts. Must be called after `seal`. */
  async parts(): Promise<number> {
    return (await numberOf(this.database, 'SELECT count(*) FROM parts')) + this.sorted.count()
  }

  /** Closes the spool and the database. Repeated calls do nothing. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#open) this.seal()
    this.spool.close()
    this.database.close()
  }

  get #appenders(): readonly DuckDBAppender[] {
    return [
      ...[this.#parts, this.#names, this.#steps],
      ...[this.#entities, this.#specimens, this.#links],
    ]
  }

  /** Returns the place of a text. Stores the text unless a recent text has the same digest. */
  #placeOf({ text, digest }: RepeatedText): Place {
    const place = this.#texts.get(digest) ?? this.spool.add(text)
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear()
    this.#texts.set(digest, place)
    return place
  }
}

function appendPart(
  parts: DuckDBAppender,
  dataset: DatasetName,
  { id, rank, place, length, isDescribed, ending }: Omit<StagedPart, 'extra' | 'bytes'>,
): void {
  parts.appendUTinyInt(DATASET_NAMES.indexOf(dataset))
  parts.appendVarchar(id)
  parts.appendUTinyInt(rank)
  parts.appendDouble(place)
  parts.appendDouble(length)
  parts.appendBoolean(isDescribed)
  appendNumber(parts, ending)
  parts.endRow()
}

/** Place of a name whose place nobody asks for. */
const NO_PLACE = { source: 0, line: 0 }

function appendName(
  names: DuckDBAppender,
  { dataset, id, isMade, key }: NamedEntry,
  { source, line }: { readonly source: number; readonly line: number },
): void {
  if (!key) return
  names.appendUTinyInt(DATASET_NAMES.indexOf(dataset))
  names.appendVarchar(id)
  names.appendVarchar(key.name)
  appendNumber(names, key.size)
  names.appendBoolean(isMade)
  names.appendUInteger(source)
  names.appendUInteger(line)
  names.endRow()
}
