import { type Bits, intersect } from '../../../shared/arrays/bitset.ts'
import type { Selection } from '../../query/selection.ts'
import type { ReleaseArrays } from '../../release/loaded.ts'
import type { PairChanges } from './pair-changes.ts'
import { testedCases } from './tested-cases.ts'

/** Changes that count: simple mutations, copy-number changes, or either. */
export type CountedChange = 'ssm' | 'cnv' | 'any'

/** Returns the selected cases that were tested for these changes. For either, those tested for both. */
export function testedFor(
  change: CountedChange,
  selected: Selection,
  arrays: ReleaseArrays,
): Bits | undefined {
  if (change !== 'any') return testedCases(change, selected, arrays)
  const [ssm, cnv] = [testedCases('ssm', selected, arrays), testedCases('cnv', selected, arrays)]
  return ssm && cnv && intersect(ssm, cnv)
}

/**
 * Returns a function that tells whether a pair has such a change.
 * @param copyNumbers names of the copy-number changes that count, in any letter case. Empty counts all.
 */
export function isChangedBy(
  change: CountedChange,
  changes: PairChanges,
  copyNumbers: readonly string[] = [],
): (pair: number) => boolean {
  const isCopied = copyNumbers.length > 0 ? isCopiedAs(changes, copyNumbers) : changes.isCopied
  if (change === 'ssm') return changes.isMutated
  if (change === 'cnv') return isCopied
  return (pair) => changes.isMutated(pair) || isCopied(pair)
}

function isCopiedAs(changes: PairChanges, copyNumbers: readonly string[]) {
  const wanted = new Set(copyNumbers.map((name) => name.toLowerCase()))
  const isWanted = changes.copyNumbers.map((name) => wanted.has(name.toLowerCase()))
  return (pair: number) => {
    let found = false
    changes.eachCopyNumber(pair, (place) => {
      found ||= isWanted[place] === true
    })
    return found
  }
}
