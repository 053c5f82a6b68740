import { missingColumns, type TableKind } from '../table-kind.ts'

/** Kinds that a message names. */
const MAX_KINDS = 2

/**
 * The kinds of tables that a header comes nearest to, each with the columns that it lacks; empty when
 * it has nothing that any kind needs.
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
