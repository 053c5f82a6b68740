import type { Cell, StagingTable } from './model.ts'
import { isNumeric, referencedKey, trimmed } from './values.ts'

/** A finding about a row of a table. */
interface EmptyRange {
  readonly kind: 'table'
  readonly id: string
  /** Row such as `rows[3]`, 0-based. */
  readonly at: string
  readonly message: string
}

/** A code as used in ranges, where a hyphen in a cell means from and to. */
const CODE = /^[A-Za-z]{0,3}\d[A-Za-z\d.]*$/
/** The table of all sites of a version, and the key of site columns. */
const SITES = 'primary_site'
const SITE = 'site'

/** Returns the valid sites of a version from its own table, or undefined if it has none. */
export function validSites(
  tables: ReadonlyMap<string, StagingTable>,
): readonly string[] | undefined {
  const table = tables.get(SITES)
  const column =
    table?.definition.findIndex(({ type, key }) => type === 'INPUT' && key === SITE) ?? -1
  const codes = table?.rows.flatMap((row) =>
    partsOf(row[column]).filter((part) => !part.includes('-')),
  )
  return codes && codes.length > 0 ? codes : undefined
}

/**
 * Finds ranges that no value can match, because rules 4 to 8 of registry.md do not read them as the author
 * meant.
 * @param sites valid sites; if undefined, site columns are not checked
 */
export function emptyRanges(
  { id, definition, rows }: StagingTable,
  sites: readonly string[] | undefined,
): EmptyRange[] {
  const columns = definition.flatMap(({ type, key }, column) =>
    type === 'INPUT' ? [{ key, column }] : [],
  )
  return rows.flatMap((row, i) =>
    columns.flatMap(({ key, column }) =>
      partsOf(row[column]).flatMap((part) => {
        const why = emptyBecause(part, key === SITE && id !== SITES ? sites : undefined)
        if (why === undefined) return []
        const message = `column "${key}" has the range "${part}", which nothing matches: ${why}`
        return [{ kind: 'table' as const, id, at: `rows[${i}]`, message }]
      }),
    ),
  )
}

const partsOf = (cell: Cell | undefined): readonly string[] =>
  cell === null || cell === undefined || cell === '*' ? [] : cell.split(',').map(trimmed)

function emptyBecause(part: string, sites: readonly string[] | undefined): string | undefined {
  const bounds = part.split('-').map(trimmed)
  if (bounds.length < 2 || bounds.some((bound) => referencedKey(bound) !== undefined))
    return undefined
  if (!bounds.every((bound) => CODE.test(bound))) return undefined
  const [low = '', high = ''] = bounds
  if (bounds.length > 2) return 'it has more than two ends; give two, or several ranges with commas'
  if (isNumeric(low) && isNumeric(high)) {
    return Number(low) > Number(high) ? 'its low end is above its high one' : undefined
  }
  if (low.length !== high.length) return 'its ends are not of the same length'
  if (low > high) return 'its low end is above its high one'
  const isAnySite =
    sites?.some((site) => site.length === low.length && low <= site && site <= high) ?? true
  return isAnySite ? undefined : `table "${SITES}" has no code in it`
}
