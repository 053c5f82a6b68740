import { EngineError } from '../../shared/errors.ts'
import { requireParameter } from '../../shared/input/required-parameter.ts'
import type { SurgeryHead } from './model.ts'

/** Selects a table by title, or by site and histology. The title takes precedence. */
export interface SurgeryRequest {
  readonly title?: string | undefined
  /** Site such as `C50` or `C509`. */
  readonly site?: string | undefined
  /** Histology such as `8500`. */
  readonly hist?: string | undefined
}

/**
 * Finds the requested table, or returns undefined if there is none (registry-lookups.md 2).
 * @throws EngineError `bad_input` for an invalid site or histology, or if the request is incomplete
 */
export function findTable<Head extends SurgeryHead>(
  tables: readonly Head[],
  request: SurgeryRequest,
): Head | undefined {
  const { title } = request
  if (title !== undefined) return byTitle(tables, title)
  if (request.site === undefined && request.hist === undefined) {
    throw new EngineError('bad_input', 'either title, or site and hist, must be supplied')
  }
  const site = readSite(requireParameter(request.site, 'site'))
  const hist = readHistology(requireParameter(request.hist, 'hist'))
  return tables.find(
    ({ hist_inclusions, site_inclusions, hist_exclusions }) =>
      lists(hist_inclusions, hist) ||
      (lists(site_inclusions, site) && !lists(hist_exclusions, hist)),
  )
}

function byTitle<Head extends SurgeryHead>(
  tables: readonly Head[],
  title: string,
): Head | undefined {
  const folded = title.toLowerCase()
  return (
    tables.find((table) => table.title === title) ??
    tables.find((table) => table.title.toLowerCase() === folded)
  )
}

function readSite(site: string): string {
  if (!/^C\d{2,3}$/.test(site)) {
    throw new EngineError('bad_input', '"site" is no code such as C509 or C50', { at: 'site' })
  }
  return site.padEnd(4, '9')
}

function readHistology(hist: string): string {
  if (/^\d{4}$/.test(hist)) return hist
  throw new EngineError('bad_input', '"hist" is no code of four digits, such as 8500', {
    at: 'hist',
  })
}

/** Returns whether a comma-separated list of codes and ranges includes a code. All codes have the same length. */
function lists(ranges: string | undefined, code: string): boolean {
  if (ranges === undefined) return false
  return ranges.split(',').some((range) => {
    const [low = '', high = low] = range.split('-')
    return low <= code && code <= high
  })
}
