import { didYouMean, NearNames } from './near-name.ts'
import { spellingsOf } from './spellings.ts'

/** Maximum number of reference names compared. A transcriptome has hundreds of thousands. */
const MAX_COMPARED = 5000

/** Reference names of a file. */
interface ReferenceNames {
  has(name: string): boolean
  keys(): Iterable<string>
}

/**
 * Returns a suggestion to append to a message about an unknown reference name.
 * @param near shared by all names of a request to bound the total cost
 * @example suggestReference('17', new Set(['chr17'])) // '; did you mean "chr17"?'
 */
export function suggestReference(
  name: string,
  names: ReferenceNames,
  near = new NearNames(),
): string {
  const meant =
    spellingsOf(name).find((one) => names.has(one)) ??
    near.of(name, first(names.keys(), MAX_COMPARED))
  return didYouMean([[name, meant]])
}

function* first(names: Iterable<string>, count: number): Generator<string> {
  let left = count
  for (const name of names) {
    if (left-- <= 0) return
    yield name
  }
}
