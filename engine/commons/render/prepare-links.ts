import type { ReleaseArrays } from '../release/loaded.ts'
import { type LinkedRecords, linkedRecords } from './linked-records.ts'
import type { LinkPart, Projection } from './projection.ts'

/** Minimum number of rows of a response whose links are prepared. */
const MIN_ROWS = 2000
/** If each linked record is used at least this often, preparing it saves time. */
const MIN_USES = 2
/** Maximum shared memory per link in bytes. A link that needs more is not prepared. */
const MAX_BYTES = 32 << 20

/** A link whose records are prepared. */
interface Wanted {
  readonly link: LinkPart
  readonly rows: Uint32Array
}

/** Returns the links of a response that lead to the same few records many times. Each has these records. */
export function linksToPrepare(
  projection: Projection,
  rows: Uint32Array,
  arrays: ReleaseArrays,
): Wanted[] {
  if (rows.length < MIN_ROWS) return []
  const wanted: Wanted[] = []
  for (const part of projection.parts) {
    if (!('at' in part)) continue
    const named = rowsNamed(projection, part, rows, arrays)
    if (named.length * MIN_USES <= rows.length) wanted.push({ link: part, rows: named })
  }
  return wanted
}

/** Returns the distinct rows that the link leads to, ascending. */
function rowsNamed(
  { dataset }: Projection,
  { at, level, target }: LinkPart,
  rows: Uint32Array,
  arrays: ReleaseArrays,
): Uint32Array {
  const targets = arrays.link(dataset, at)?.targets
  const offsets = level === '' ? undefined : arrays.level(dataset, level)?.offsets
  const isNamed = new Uint8Array(arrays.rows(target.dataset))
  if (!targets || (level !== '' && !offsets)) return new Uint32Array(0)
  let count = 0
  for (const row of rows) {
    const start = offsets ? (offsets[row] ?? 0) : row
    const end = offsets ? (offsets[row + 1] ?? 0) : row + 1
    for (let element = start; element < end; element++) {
      const other = (targets[element] ?? 0) - 1
      if (other < 0 || isNamed[other] === 1) continue
      isNamed[other] = 1
      count++
    }
  }
  const named = new Uint32Array(new SharedArrayBuffer(count * 4))
  let filled = 0
  for (let row = 0; filled < count; row++) if (isNamed[row] === 1) named[filled++] = row
  return named
}

/** Collects rendered lines. Returns undefined if they exceed the memory limit. */
export async function gatherLines(
  rows: Uint32Array,
  chunks: AsyncIterable<{ readonly bytes: Uint8Array }>,
): Promise<LinkedRecords | undefined> {
  const lines: Uint8Array[] = []
  let length = 0
  for await (const { bytes } of chunks) {
    length += bytes.length
    if (length > MAX_BYTES) return undefined
    lines.push(Uint8Array.from(bytes))
  }
  return linkedRecords(rows, lines, length)
}
