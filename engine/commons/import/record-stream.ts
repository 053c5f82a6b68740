import type { JsonObject } from '../../shared/input/json-value.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { numberOf, rowsOf } from './database.ts'
import { type Conflicts, mergeInto } from './merge.ts'
import type { Staging } from './staging.ts'

/** A record merged from all its descriptions in the sources. */
export interface MergedRecord {
  readonly id: string
  readonly document: JsonObject
  /** Whether some source describes it, rather than only naming it. */
  readonly isDescribed: boolean
  /** Value of the query's extra column for this record. */
  readonly extra: unknown
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
  { database, spool }: Staging,
  { dataset, extras, conflicts, onPart }: RecordQuery,
): AsyncGenerator<readonly MergedRecord[], void, undefined> {
  const { idField } = DATASETS[dataset]
  const where = `WHERE p.dataset = ${DATASET_NAMES.indexOf(dataset)}`
  const sql = `
    SELECT p.id, p.rank, p.place, p.length, p.described, ${extras ? 'e.extra' : 'NULL'}
    FROM parts p ${extras ? `LEFT JOIN (${extras}) e ON e.id = p.id` : ''}
    ${where}
    ORDER BY p.id, p.rank, p.place`
  const expected = await numberOf(database, `SELECT count(*) FROM parts p ${where}`)
  let read = 0
  let open: Growing | undefined
  for await (const rows of rowsOf(database, sql)) {
    read += rows.length
    const done: MergedRecord[] = []
    for (const row of rows) {
      const [id, rank, offset, length, isDescribed, extra] = row as PartRow
      const document = JSON.parse(spool.read({ offset, length })) as JsonObject
      // A part may still contain the generated id that this one replaced.
      document[idField] = id
      onPart?.(document, rank, id)
      if (open?.id === id) {
        mergeInto(open.document, document, { isStronger: rank > open.rank, conflicts })
        open.rank = rank
        open.isDescribed ||= isDescribed
      } else {
        if (open) done.push(open)
        open = { id, document, isDescribed, extra, rank }
      }
    }
    if (done.length > 0) yield done
  }
  // Missing rows would otherwise go unnoticed.
  if (read !== expected) throw new Error(`read ${read} of ${expected} parts of ${dataset}`)
  if (open) yield [open]
}

type PartRow = readonly [string, number, number, number, boolean, unknown]

interface Growing extends MergedRecord {
  isDescribed: boolean
  rank: number
}
