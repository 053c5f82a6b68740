import { type Bits, countBits } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { LoadedArrays } from '../../release/loaded.ts'
import { type Curve, donorsOf, membersIn } from './curve-members.ts'
import type { DonorTable } from './donor-table.ts'
import { type GroupDeaths, groupDeaths, poolHazards } from './log-rank.ts'

interface CurvesInput {
  readonly loaded: LoadedArrays
  readonly table: DonorTable
  readonly curves: readonly Curve[]
}

export interface SelectedCurves {
  /** Bitmap of each curve's donors in the table. */
  readonly donors: readonly Bits[]
  readonly counts: readonly number[]
  /** For each donor of the table, the number of these curves that include the donor. */
  readonly weights: Uint32Array
}

/** Selects the donors of some curves. */
export const selectCurvesJob: Job<CurvesInput, SelectedCurves> = {
  name: 'survival.select',
  run({ loaded, table, curves }) {
    const arrays = arraysOf(loaded)
    const donors = curves.map((curve) => donorsOf(curve, table, arrays))
    const weights = new Uint32Array(table.rows.length)
    for (const bits of donors) {
      for (let i = 0; i < weights.length; i++) {
        weights[i] = weights[i]! + ((bits[i >>> 5]! >>> (i & 31)) & 1)
      }
    }
    return { donors, counts: donors.map(countBits), weights }
  },
  transfer: ({ donors, weights }) =>
    [...donors, weights].map(({ buffer }) => buffer as ArrayBuffer),
}

interface CompareInput extends CurvesInput {
  /** Cache key of the weights, unique within this release and process. */
  readonly key: string
  /** Number of curves of the whole response that include each donor of the table. */
  readonly weights: Uint32Array
}

/** Counts the observed deaths in some curves, and their deaths expected from all curves of the response. */
export const compareCurvesJob: Job<CompareInput, readonly GroupDeaths[]> = {
  name: 'survival.compare',
  run({ loaded, table, curves, weights, key }, scratch) {
    const arrays = arraysOf(loaded)
    const pooled = scratch.cached(key, () => {
      const hazards = poolHazards(weights, table)
      return { ...hazards, bytes: 12 * hazards.starts.length }
    })
    return curves.map((curve) => {
      const members = membersIn(donorsOf(curve, table, arrays))
      return groupDeaths(members, pooled, table.deaths)
    })
  },
}
