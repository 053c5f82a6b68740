import { type CellRange, parseCell } from './cell-ranges.ts'
import type { StagingTable } from './model.ts'

/** A range of integers wider than this is no list of codes. */
const WIDEST_RANGE = 1_000_000

/** Rule 2: all values that the only INPUT column lists, ranges of integers expanded. */
export function validCodes(table: StagingTable | undefined): ReadonlySet<string> {
  const codes = new Set<string>()
  const column = table?.definition.findIndex(({ type }) => type === 'INPUT') ?? -1
  if (!table || column < 0) return codes
  for (const cells of table.rows) {
    const ranges = parseCell(cells[column])
    if (ranges === 'any') continue
    for (const range of ranges) addCodes(range, codes)
  }
  return codes
}

function addCodes({ low, high }: CellRange, codes: Set<string>): void {
  const isWhole = /^\d+$/.test(low) && /^\d+$/.test(high)
  const [first, last] = [Number(low), Number(high)]
  if (low === high || !isWhole || last - first > WIDEST_RANGE) {
    codes.add(low)
    codes.add(high)
    return
  }
  for (let code = first; code <= last; code++) codes.add(String(code).padStart(low.length, '0'))
}
