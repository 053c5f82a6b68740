import {
  type Bits,
  countBits,
  intersect,
  membersOf,
  newBits,
  unite,
} from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { selectRows } from '../../query/select.ts'
import { bitsOf } from '../../query/selection.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { LoadedArrays } from '../../release/loaded.ts'

/** Groups of cases to compare, in the order of their filters. */
export interface CaseGroups {
  /** Number of cases of the release. */
  readonly size: number
  /** Bitmap of the cases of each group. */
  readonly bits: readonly Bits[]
  readonly counts: readonly number[]
  /** Pairs of groups that share cases. Groups that do are not tested, as every test requires separate groups. */
  readonly overlaps: readonly Overlap[]
}

/** Number of cases that two groups share, with the field names of the response. Groups are counted from 0. */
interface Overlap {
  readonly groups: readonly [number, number]
  readonly cases: number
}

interface CaseGroupsInput {
  readonly loaded: LoadedArrays
  /** Filter of each group. Undefined selects all cases. */
  readonly filters: readonly (Filter | undefined)[]
}

/** Selects the cases of some groups. */
export const caseGroupsJob: Job<CaseGroupsInput, CaseGroups> = {
  name: 'comparison.groups',
  run({ loaded, filters }) {
    const arrays = arraysOf(loaded)
    const bits = filters.map((filter) => bitsOf(selectRows('cases', filter, [], arrays).rows))
    return {
      size: arrays.rows('cases'),
      bits,
      counts: bits.map(countBits),
      overlaps: overlapsOf(bits),
    }
  },
}

function overlapsOf(groups: readonly Bits[]): readonly Overlap[] {
  return groups.flatMap((one, i) =>
    groups.slice(i + 1).flatMap((other, k): Overlap | readonly [] => {
      const cases = countBits(intersect(one.slice(), other))
      return cases > 0 ? { groups: [i, i + 1 + k], cases } : []
    }),
  )
}

/** Returns the rows of the cases that are in any of the groups, ascending. */
export function rowsIn({ size, bits }: Pick<CaseGroups, 'size' | 'bits'>): Uint32Array {
  const all = bits.reduce((found, group) => unite(found, group), newBits(size))
  return membersOf(all, 0, countBits(all))
}

/** Returns for each case a word in which bit i says whether the case is in group i. There are at most 16 groups. */
export function groupMasks({ size, bits }: Pick<CaseGroups, 'size' | 'bits'>): Uint16Array {
  const masks = new Uint16Array(size)
  for (const [i, group] of bits.entries()) {
    for (let row = 0; row < size; row++) {
      masks[row]! |= ((group[row >>> 5]! >>> (row & 31)) & 1) << i
    }
  }
  return masks
}
