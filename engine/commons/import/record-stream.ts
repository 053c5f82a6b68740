import type { JsonObject } from '../../shared/input/json-value.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { numberOf, rowsOf } from './database.ts'
import { type Conflicts, mergeInto } from './merge.ts'
import type { Place } from './spool.ts'
import type { Staging } from './staging.ts'

/** A record merged from all its descriptions in the sources. */
export interface MergedRecord {
  readonly id: string
  /** Parsed on first use, because many documents are only copied. */
  readonly document: JsonObject
  /** The only part of the record, if its document is finished except for the ending. */
  readonly alone: AlonePart | undefined
  /** Whether some source describes it, rather than only naming it. */
  readonly isDescribed: boolean
  /** Value of the query's extra column for this record. */
  readonly extra: unknown
}

/** Place of a document's text and its ending in the spool, and the length of the ending. */
export interface AlonePart extends Place {
  readonly ending: number
}

interface RecordQuery {
  readonly dataset: DatasetName
  /** SQL query with the columns id and extra, joined to the records. */
  readonly extras?: string
  readonly conflicts: Conflicts
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
  const { database } = staging
  const { dataset, extras } = query
  const where = `WHERE p.dataset = ${DATASET_NAMES.indexOf(dataset)}`
  const sql = `
    SELECT p.id, p.rank, p.place, p.length, p.described, p.ending,
      ${extras ? 'e.extra' : 'NULL'}
    FROM parts p ${extras ? `LEFT JOIN (${extras}) e ON e.id = p.id` : ''}
    ${where}
    ORDER BY p.id, p.rank, p.place`
  const expected = await numberOf(database, `SELECT count(*) FROM parts p ${where}`)
  let read = 0
  let open: Merging | undefined
  for await (const rows of rowsOf(database, sql)) {
    read += rows.length
    const done: MergedRecord[] = []
    for (const row of rows as readonly PartRow[]) {
      if (open?.id === row[0]) open.add(row)
      else {
        if (open) done.push(open)
        open = new Merging(row, staging, query)
      }
    }
    if (done.length > 0) yield done
  }
  // Missing rows would otherwise go unnoticed.
  if (read !== expected) throw new Error(`read ${read} of ${expected} parts of ${dataset}`)
  if (open) yield [open]
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

class Merging implements MergedRecord {
  readonly id: string
  readonly extra: unknown
  readonly #staging: Staging
  readonly #query: RecordQuery
  readonly #first: PartRow
  #rank: number
  #isDescribed: boolean
  #document: JsonObject | undefined

  constructor(first: PartRow, staging: Staging, query: RecordQuery) {
    const [id, rank, , , isDescribed, , extra] = first
    this.id = id
    this.extra = extra
    this.#staging = staging
    this.#query = query
    this.#first = first
    this.#rank = rank
    this.#isDescribed = isDescribed
  }

  get isDescribed(): boolean {
    return this.#isDescribed
  }

  get document(): JsonObject {
    this.#document ??= this.#parse(this.#first)
    return this.#document
  }

  get alone(): AlonePart | undefined {
    const [, , offset, length, , ending] = this.#first
    if (this.#document || ending === null) return undefined
    return { offset, length: length + ending, ending }
  }

  /** Merges the next part into the document. */
  add(part: PartRow): void {
    const [, rank, , , isDescribed] = part
    const isStronger = rank > this.#rank
    mergeInto(this.document, this.#parse(part), { isStronger, conflicts: this.#query.conflicts })
    this.#rank = rank
    this.#isDescribed ||= isDescribed
  }

  #parse([id, rank, offset, length]: PartRow): JsonObject {
    const { dataset, onPart } = this.#query
    const document = JSON.parse(this.#staging.spool.read({ offset, length })) as JsonObject
    // A part may still contain the generated id that this one replaced.
    document[DATASETS[dataset].idField] = id
    onPart?.(document, rank, id)
    return document
  }
}
