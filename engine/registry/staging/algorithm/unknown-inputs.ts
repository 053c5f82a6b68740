import { nearestOf, quotedName } from '../../../shared/input/near-name.ts'

/** Keys that are told of one case or one chunk of lines. */
const MAX_TOLD = 5

/** A sentence on each of the first keys that no schema of a version has, with the key that was meant. */
export function unknownInputs(
  keys: Iterable<string>,
  known: ReadonlySet<string>,
): readonly string[] {
  return [...keys]
    .filter((key) => !known.has(key))
    .slice(0, MAX_TOLD)
    .map((key) => `no schema has an input ${quotedName(key)}${nearestOf(key, known)}`)
}
