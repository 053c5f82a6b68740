import { NearNames, quotedName } from '../../shared/input/near-name.ts'
import { suggestReference } from '../../shared/input/near-reference.ts'
import type { Warnings } from '../../shared/input/warnings.ts'
import type { Alignment } from './alignment.ts'
import type { Wanted } from './select.ts'

/** Maximum number of references named in a warning. */
const MAX_NAMED = 5

/**
 * Warns about regions on references that the file does not have, which are no error (data-commons.md 4.5 rule 5,
 * 11.36), and suggests the most similar names.
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
    const text = `the file has no reference ${quotedName(name)}${suggestReference(name, numberOf, near)}`
    warnings.add('regions', text)
  }
  const more = unknown.size - MAX_NAMED
  if (more > 0) warnings.add('regions', `${more} more such references`)
}
