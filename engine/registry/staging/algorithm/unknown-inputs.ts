import { nearestOf, quotedName } from '../../../shared/input/near-name.ts'

/** Maximum number of keys reported per case or per chunk of lines. */
const MAX_TOLD = 5

/** Returns a sentence for each of the first unknown keys, with the known key that was probably meant. */
export function unknownInputs(
  keys: Iterable<string>,
  known: ReadonlySet<string>,
): readonly string[] {
  return [...keys]
    .filter((key) => !known.has(key))
    .slice(0, MAX_TOLD)
    .map((key) => `no schema has an input ${quotedName(key)}${nearestOf(key, known)}`)
}
