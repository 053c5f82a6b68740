import { type Bits, intersect } from '../../../shared/arrays/bitset.ts'
import { scan } from '../../query/scan.ts'
import type { Selection } from '../../query/selection.ts'
import { bitmapsKey, columnKey } from '../../release/layout.ts'
import type { ReleaseArrays } from '../../release/loaded.ts'

/** Kind of change that a case is tested for: simple mutations (`ssm`) or copy-number changes (`cnv`). */
export type ChangeKind = 'ssm' | 'cnv'

const AVAILABLE = 'available_variation_data'

export const TESTED_KEYS = Object.freeze([
  columnKey('cases', AVAILABLE),
  bitmapsKey('cases', AVAILABLE),
])

/** Returns the selected cases that were tested for a kind of change. Undefined if none was. */
export function testedCases(
  kind: ChangeKind,
  { bits, size }: Selection,
  arrays: ReleaseArrays,
): Bits | undefined {
  const available = arrays.column('cases', AVAILABLE)
  const code = available?.dictionary.find(kind) ?? 0
  if (!available || code === 0) return undefined
  const tested = scan(available, [code, code + 1], size)
  return bits ? intersect(tested, bits) : tested
}
