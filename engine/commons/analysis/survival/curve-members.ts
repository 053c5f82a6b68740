import {
  type Bits,
  countBits,
  fullBits,
  hasBit,
  membersOf,
  newBits,
  setBit,
} from '../../../shared/arrays/bitset.ts'
import type { Scratch } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { selectRows } from '../../query/select.ts'
import type { ReleaseArrays } from '../../release/loaded.ts'
import type { DonorTable } from './donor-table.ts'
import { kaplanMeier, type SurvivalSteps } from './kaplan-meier.ts'

/** One curve of a response. */
export interface Curve {
  /** Key that is unique within this release and process. */
  readonly key: string
  /** Filter of the curve. Undefined means all cases, unless the donors are known. */
  readonly filter: Filter | undefined
  /** Indices of its donors in the table, if they were worth keeping. */
  readonly donors?: Bits | undefined
}

/** Returns the donors whose cases pass a curve's filter, as indices in the table. */
export function donorsOf(curve: Curve, table: DonorTable, arrays: ReleaseArrays): Bits {
  if (curve.donors) return curve.donors
  const { rows } = table
  const { bits } = selectRows('cases', curve.filter, [], arrays).rows
  if (!bits) return fullBits(rows.length)
  const donors = newBits(rows.length)
  for (let i = 0; i < rows.length; i++) if (hasBit(bits, rows[i]!)) setBit(donors, i)
  return donors
}

export const membersIn = (donors: Bits): Uint32Array => membersOf(donors, 0, countBits(donors))

/** A curve as it is printed. */
export interface Estimate extends SurvivalSteps {
  /** Indices of its donors in the table, ascending. */
  readonly members: Uint32Array
}

/** Returns the estimate of a curve, which a thread caches while it prints the curve in parts. */
export function estimateOf(
  curve: Curve,
  table: DonorTable,
  { arrays, scratch }: { readonly arrays: ReleaseArrays; readonly scratch: Scratch },
): Estimate {
  return scratch.cached(curve.key, () => {
    const members = membersIn(donorsOf(curve, table, arrays))
    const steps = kaplanMeier(members, table)
    const bytes = members.byteLength + 20 * steps.ends.length
    return { members, ...steps, bytes }
  })
}
