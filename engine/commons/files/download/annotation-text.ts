import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { Scratch } from '../../../shared/executor.ts'
import type { Scalar } from '../../../shared/formats/flatten.ts'
import { cellOf } from '../../../shared/formats/table-cells.ts'
import { datasetOf } from '../../datasets/index.ts'
import type { Release } from '../../release/release.ts'
import { readRecords } from '../../search/read-records.ts'
import { Selections } from '../../search/selections.ts'
import { rowsOf } from '../records/described-files.ts'

const COLUMNS = [
  'submitter_id',
  'entity_type',
  'entity_id',
  'category',
  'classification',
  'created_datetime',
  'status',
  'notes',
] as const

const HEADER = `id\t${COLUMNS.join('\t')}\n`

/** Number of records per batch. A batch takes a few milliseconds. */
const BATCH_ROWS = 256

/** Returns the lines of each annotation by its id. Without a record, that is the id only. */
export async function annotationLines(
  ids: readonly string[],
  release: Release,
  scratch: Scratch,
  turns: LoopTurns,
): Promise<ReadonlyMap<string, string>> {
  const distinct = [...new Set(ids)]
  const rows = await rowsOf('annotations', distinct, release, { turns })
  const fields = ['annotation_id', ...COLUMNS]
  const { projection } = new Selections().of(datasetOf('annotations'), { fields }, 'list')
  const lines = new Map(distinct.map((id) => [id, lineOf(id, {})]))
  const found = [...rows]
  for (let at = 0; at < found.length; at += BATCH_ROWS) {
    await turns.pause()
    const batch = found.slice(at, at + BATCH_ROWS)
    const wanted = Uint32Array.from(batch, ([, row]) => row)
    const hits = await readRecords(projection, wanted, { release, scratch })
    for (const [i, [id]] of batch.entries()) lines.set(id, lineOf(id, hits[i] ?? {}))
  }
  return lines
}

/** Returns the contents of `annotations.txt` (data-commons.md 5.1). */
export function annotationText(
  ids: readonly string[],
  lines: ReadonlyMap<string, string>,
): Uint8Array {
  return Buffer.from(HEADER + ids.map((id) => lines.get(id) ?? '').join(''))
}

function lineOf(id: string, hit: Readonly<Record<string, unknown>>): string {
  const cells = COLUMNS.map((name) => {
    const value = hit[name]
    return typeof value === 'object' ? '' : cellOf((value ?? null) as Scalar, false)
  })
  return `${[cellOf(id, false), ...cells].join('\t')}\n`
}
