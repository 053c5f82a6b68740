import type { JsonObject } from '../../shared/input/json-value.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { numberOf, rowsOf } from './database.ts'
import { type Conflicts, mergeInto } from './merge.ts'
import type { Staging } from './staging.ts'

/** One record, made of everything that the sources say of it. */
export interface MergedRecord {
  readonly id: string
  readonly document: JsonObject
  /** Some source has more of it than its name. */
  readonly isDescribed: boolean
  /** What the query's further column says of the record. */
  readonly extra: unknown
}

export interface RecordQuery {
  readonly dataset: DatasetName
  /** A relation of (id, extra) that is joined to the records. */
  readonly extras?: string
  readonly conflicts: Conflicts
  /** Called with each text before it is merged, and its rank. */
  readonly onPart?: (document: JsonObject, rank: number, id: string) => void
}

/** Records of a dataset in ascending order of their ids, in batches. */
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
      // Parts may call it by an id that was made for want of this one.
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
  // A record that is left out would be missed by nobody.
  if (read !== expected) throw new Error(`read ${read} of ${expected} parts of ${dataset}`)
  if (open) yield [open]
}

type PartRow = readonly [string, number, number, number, boolean, unknown]

interface Growing extends MergedRecord {
  isDescribed: boolean
  rank: number
}
