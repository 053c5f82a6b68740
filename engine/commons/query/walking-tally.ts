import type { Source } from './source.ts'
import { walk } from './walk.ts'

/**
 * Counts rows by the values that they reach, whatever the way. With `weights`, by row, each row
 * counts as so many.
 */
export function tallyWalking(
  source: Source,
  rows: Uint32Array,
  weights?: Uint32Array,
): Uint32Array {
  const counts = new Uint32Array(source.column.layout.distinct + 1)
  // The row + 1 that each code was last counted for.
  const seen = new Uint32Array(counts.length)
  const add = (code: number, row: number) => {
    if (seen[code] === row + 1) return
    seen[code] = row + 1
    counts[code] = counts[code]! + (weights ? weights[row]! : 1)
  }
  walk(source, rows, ({ rows: some, holders, values }) => {
    const has = new Uint8Array(holders.length)
    for (let i = 0; i < values.length; i++) {
      const holder = values.owners[i]!
      has[holder] = 1
      add(values.members[i]!, some[holders.owners[holder]!] as number)
    }
    for (let i = 0; i < holders.length; i++) {
      if (has[i] === 0) add(0, some[holders.owners[i]!] as number)
    }
  })
  return counts
}
