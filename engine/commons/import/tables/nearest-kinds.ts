import { missingColumns, type TableKind } from '../table-kind.ts'

/** Number of kinds in a message. */
const MAX_KINDS = 2

/**
 * Returns the kinds of tables that are most similar to a header, with the columns that the header lacks. Returns
 * none if the header has no required column of any kind.
 */
export function nearestKinds(
  columns: ReadonlySet<string>,
  kinds: readonly TableKind[],
): readonly { readonly name: string; readonly missing: readonly string[] }[] {
  return kinds
    .map((kind) => ({
      name: kind.name,
      needs: kind.needs.length,
      missing: missingColumns(columns, kind),
    }))
    .filter(({ needs, missing }) => missing.length > 0 && missing.length < needs)
    .sort((one, other) => one.missing.length / one.needs - other.missing.length / other.needs)
    .slice(0, MAX_KINDS)
}
