import type { JsonObject } from '../../shared/input/json-value.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { numberOf, rowsOf } from './database.ts'
import { type Conflict, type Conflicts, mergeInto } from './merge.ts'
import { RANKS } from './split-record.ts'
import type { Spool } from './spool.ts'
import { isInside } from './staged-entries.ts'
import { isBefore, type StagedPart } from './staged-part.ts'
import type { Staging } from './staging.ts'

/** A record merged from all its descriptions in the sources. */
export interface MergedRecord {
  readonly id: string
  /** Parsed on first use, because many documents are only copied. */
  readonly document: JsonObject
  /** The only part of the record, if its document is finished except for the ending. */
  readonly alone: AlonePart | undefined
  /** Whether some source describes the record. Otherwise, sources only refer to it. */
  readonly isDescribed: boolean
  /** Number of parts, including repeated ones. */
  readonly parts: number
  /** Value that the extra column of the query has for this record. */
  readonly extra: unknown
}

/** A document's text and its ending, and the length of the ending. */
export interface AlonePart {
  readonly ending: number
  bytes(): Buffer
}

interface RecordQuery {
  readonly dataset: DatasetName
  /** SQL query with the columns id and extra, joined to the records. */
  readonly extras?: string
  readonly conflicts: Conflicts
  /** Called with each conflict and the record. */
  readonly onConflict?: (conflict: Conflict, record: JsonObject) => void
  /** Called with each part before it is merged. */
  readonly onPart?: (document: JsonObject, rank: number, id: string) => void
}

/**
 * Yields the merged records of a dataset in ascending order of ids, in batches.
 * @throws Error if not all parts could be read
 */
export async function* mergedRecords(
  staging: Staging,
  query: RecordQuery,
): AsyncGenerator<readonly MergedRecord[], void, undefined> {
  let open: Merging | undefined
  for await (const parts of partsOf(staging, query)) {
    const done: MergedRecord[] = []
    for (const part of parts) {
      if (open?.id === part.id) open.add(part)
      else {
        if (open) done.push(open)
        open = new Merging(part, query)
      }
    }
    if (done.length > 0) yield done
  }
  if (open) yield [open]
}

/** Maximum number of sorted parts in memory at a time. */
const BATCH = 2048

/** Yields the parts of a dataset in order. Parts of the database and sorted parts are merged. */
async function* partsOf(
  staging: Staging,
  query: RecordQuery,
): AsyncGenerator<readonly StagedPart[], void, undefined> {
  const sorted = staging.sorted.parts(query.dataset)
  let next = sorted.next()
  for await (const stored of storedParts(staging, query)) {
    let batch: StagedPart[] = []
    for (const part of stored) {
      for (; !next.done && isBefore(next.value, part); next = sorted.next()) {
        batch.push(next.value)
        if (batch.length < BATCH) continue
        yield batch
        batch = []
      }
      batch.push(part)
    }
    yield batch
  }
  while (!next.done) {
    const batch: StagedPart[] = []
    for (; !next.done && batch.length < BATCH; next = sorted.next()) batch.push(next.value)
    yield batch
  }
}

type PartRow = readonly [
  id: string,
  rank: number,
  offset: number,
  length: number,
  isDescribed: boolean,
  ending: number | null,
  extra: unknown,
]

/** Yields the parts that the database has, in order. */
async function* storedParts(
  { database, spool }: Staging,
  { dataset, extras }: RecordQuery,
): AsyncGenerator<readonly StagedPart[], void, undefined> {
  const where = `WHERE p.dataset = ${DATASET_NAMES.indexOf(dataset)}`
  const sql = `
    SELECT p.id, p.rank, p.place, p.length, p.described, p.ending,
      ${extras ? 'e.extra' : 'NULL'}
    FROM parts p ${extras ? `LEFT JOIN (${extras}) e ON e.id = p.id` : ''}
    ${where}
    ORDER BY p.id, p.rank, p.place`
  const expected = await numberOf(database, `SELECT count(*) FROM parts p ${where}`)
  let read = 0
  for await (const rows of rowsOf(database, sql)) {
    read += rows.length
    yield (rows as readonly PartRow[]).map((row) => storedPart(row, spool))
  }
  // Without this check, missing rows would not be noticed.
  if (read !== expected) throw new Error(`read ${read} of ${expected} parts of ${dataset}`)
}

function storedPart(row: PartRow, spool: Spool): StagedPart {
  const [id, rank, place, length, isDescribed, ending, extra] = row
  const bytes = () => spool.bytes({ offset: place, length: length + (ending ?? 0) })
  return { id, rank, place, length, isDescribed, ending: ending ?? undefined, extra, bytes }
}

class Merging implements MergedRecord {
  readonly id: string
  readonly extra: unknown
  readonly #query: RecordQuery
  readonly #first: StagedPart
  /** Texts of the embedded parts of the last rank, if there are several. */
  #texts: Set<string> | undefined
  /** Rank of the last part. */
  #rank: number
  #isDescribed: boolean
  #document: JsonObject | undefined
  #parts = 1

  constructor(first: StagedPart, query: RecordQuery) {
    const { id, rank, isDescribed, extra } = first
    this.id = id
    this.extra = extra
    this.#query = query
    this.#first = first
    this.#rank = rank
    this.#isDescribed = isDescribed
  }

  get isDescribed(): boolean {
    return this.#isDescribed
  }

  get parts(): number {
    return this.#parts
  }

  get document(): JsonObject {
    this.#document ??= this.#parse(this.#first.rank, textOf(this.#first))
    return this.#document
  }

  get alone(): AlonePart | undefined {
    const { ending, bytes } = this.#first
    return this.#document || ending === undefined ? undefined : { ending, bytes }
  }

  /** Merges the next part into the document. An embedded part that repeats an earlier one is skipped. */
  add(part: StagedPart): void {
    const { rank, isDescribed } = part
    const text = textOf(part)
    this.#parts++
    const isStronger = rank > this.#rank
    if (isInside(rank)) {
      this.#texts = isStronger ? new Set() : (this.#texts ?? new Set([textOf(this.#first)]))
      if (this.#texts.has(text)) return
      this.#texts.add(text)
    }
    const { conflicts, onConflict } = this.#query
    const { document } = this
    mergeInto(document, this.#parse(rank, text), {
      ...{ isStronger, conflicts, isHearsay: this.#rank === RANKS.hearsay },
      onConflict: onConflict && ((conflict) => onConflict(conflict, document)),
    })
    this.#rank = rank
    this.#isDescribed ||= isDescribed
  }

  #parse(rank: number, text: string): JsonObject {
    const { dataset, onPart } = this.#query
    const document = JSON.parse(text) as JsonObject
    // A part may still contain the generated id that this id has replaced.
    document[DATASETS[dataset].idField] = this.id
    onPart?.(document, rank, this.id)
    return document
  }
}

const textOf = (part: StagedPart) => part.bytes().toString('utf8', 0, part.length)
