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

/** One curve of an answer. */
export interface Curve {
  /** Distinguishes it from all others of this release and of this process. */
  readonly key: string
  /** Absent: all cases, unless the donors are known. */
  readonly filter: Filter | undefined
  /** Places of its donors in the table, where they are known and were worth keeping. */
  readonly donors?: Bits | undefined
}

/** The donors whose cases pass a curve's filter, as places in the table. */
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
  /** Places of its donors in the table, ascending. */
  readonly members: Uint32Array
}

/** The estimate of a curve; a thread that prints a part of it keeps it for the next. */
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
