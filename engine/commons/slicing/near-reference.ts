import { didYouMean, NearNames } from '../../shared/input/near-name.ts'
import { spellingsOf } from '../../shared/input/spellings.ts'

/** Names of a file that are compared; one of a transcriptome has hundreds of thousands. */
const MAX_COMPARED = 5000

/** The references of a file by name. */
export interface ReferenceNames {
  has(name: string): boolean
  keys(): Iterable<string>
}

/**
 * What to add to a message about a name that the file does not have: the reference that was likely meant.
 * @param near shared by all names of a request, whose cost it bounds
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
