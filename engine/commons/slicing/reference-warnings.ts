import { didYouMean, NearNames, quotedName } from '../../shared/input/near-name.ts'
import { spellingsOf } from '../../shared/input/spellings.ts'
import type { Warnings } from '../../shared/input/warnings.ts'
import type { Alignment } from './alignment.ts'
import type { Wanted } from './select.ts'

/** References that are named. */
const MAX_NAMED = 5
/** Names of a file that are compared; one of a transcriptome has hundreds of thousands. */
const MAX_COMPARED = 5000

/**
 * Warns of references that the file does not have, which regions may name without an error
 * (data-commons.md 4.5 rule 5, 11.36), with the nearest ones.
 */
export function warnOfReferences(
  { intervals }: Pick<Wanted, 'intervals'>,
  { numberOf }: Pick<Alignment, 'numberOf'>,
  warnings: Warnings,
): void {
  const unknown = new Set<string>()
  for (const { reference } of intervals) if (!numberOf.has(reference)) unknown.add(reference)
  const near = new NearNames()
  for (const name of [...unknown].slice(0, MAX_NAMED)) {
    const meant =
      spellingsOf(name).find((one) => numberOf.has(one)) ??
      near.of(name, first(numberOf.keys(), MAX_COMPARED))
    const text = `the file has no reference ${quotedName(name)}${didYouMean([[name, meant]])}`
    warnings.add('regions', text)
  }
  const more = unknown.size - MAX_NAMED
  if (more > 0) warnings.add('regions', `${more} more such references`)
}

function* first(names: Iterable<string>, count: number): Generator<string> {
  let left = count
  for (const name of names) {
    if (left-- <= 0) return
    yield name
  }
}
