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

/** One survival curve of a response. */
export interface Curve {
  /** Cache key of the curve, unique within this release and process. */
  readonly key: string
  /** Filter that selects the cases. Undefined selects all cases, unless `donors` is set. */
  readonly filter: Filter | undefined
  /** Bitmap of the curve's donors in the table. Undefined if it is not kept. */
  readonly donors?: Bits | undefined
}

/** Returns a bitmap of the donors in the table whose cases match a curve's filter. */
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

/** Survival estimate of a curve, and the donors to print. */
export interface Estimate extends SurvivalSteps {
  /** Indices of its donors in the table, ascending. */
  readonly members: Uint32Array
}

/** Returns the survival estimate of a curve. A thread caches it while it writes the curve in parts. */
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
