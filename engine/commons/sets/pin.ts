import { EngineError } from '../../shared/errors.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import type { DatasetName } from '../datasets/define.ts'
import { FILTER_LIMITS } from '../query/filter-budget.ts'
import { SET_PREFIX } from '../query/pattern.ts'
import { PinnedSet } from '../query/pinned-set.ts'
import type { SetRecord, SetType } from './set-store.ts'

/** Maximum number of sets that the filters of one request may name. Each costs as much as a condition. */
const MAX_SETS = 100

export const DATASET_OF_SET: Readonly<Record<SetType, DatasetName>> = Object.freeze({
  case: 'cases',
  gene: 'genes',
  ssm: 'ssms',
  file: 'files',
})

/** Returns the id of a set from a text that has it with or without the prefix `set_id:`. */
export const bareSetId = (text: string): string =>
  text.startsWith(SET_PREFIX) ? text.slice(SET_PREFIX.length) : text

const SET_ID = /^[0-9a-f]{32}$/

/** Returns whether a text has the form of a set id. */
export const isSetId = (id: string): boolean => SET_ID.test(id)

/**
 * Parses the JSON text of filters if it may name a set. Returns anything else as it is, including invalid
 * JSON, which the parser of filters reports.
 */
export function parsedFilters(filters: unknown): unknown {
  if (typeof filters !== 'string' || !filters.includes(SET_PREFIX)) return filters
  try {
    return JSON.parse(filters)
  } catch {
    return filters
  }
}

/**
 * Returns the ids of the sets that filters name. Accepts any value. Whatever is nested more deeply than
 * MAX_DEPTH is skipped, because such filters are refused later.
 */
export function namedSets(filters: unknown): ReadonlySet<string> {
  const ids = new Set<string>()
  const visit = (value: unknown, depth: number) => {
    if (depth > MAX_DEPTH) return
    if (typeof value === 'string') {
      if (value.startsWith(SET_PREFIX)) ids.add(bareSetId(value))
    } else if (Array.isArray(value)) for (const one of value) visit(one, depth + 1)
    else if (isObject(value) && !(value instanceof PinnedSet)) {
      for (const one of Object.values(value)) visit(one, depth + 1)
    }
  }
  visit(filters, 0)
  return ids
}

/**
 * Maximum depth of JSON to visit. A valid filter is less deep: an `and` or `or` takes two levels, the object
 * and the list in its `content`, and a condition takes at most four.
 */
const MAX_DEPTH = 4 * FILTER_LIMITS.depth

/**
 * Returns a copy of filters in which a `PinnedSet` replaces each value that names a known set. Values that
 * name unknown sets stay.
 */
export function withPinned(
  filters: unknown,
  known: ReadonlyMap<string, SetRecord>,
  depth = 0,
): unknown {
  if (depth > MAX_DEPTH) return filters
  if (typeof filters === 'string') {
    const record = filters.startsWith(SET_PREFIX) ? known.get(bareSetId(filters)) : undefined
    return record ? new PinnedSet(record.id, DATASET_OF_SET[record.type], record.version) : filters
  }
  if (Array.isArray(filters)) return filters.map((one) => withPinned(one, known, depth + 1))
  if (!isObject(filters) || filters instanceof PinnedSet) return filters
  const members = Object.entries(filters)
  return Object.fromEntries(members.map(([name, one]) => [name, withPinned(one, known, depth + 1)]))
}

/**
 * Checks the number of sets that filters name.
 * @throws EngineError too_many if there are more than MAX_SETS
 */
export function checkNamed(ids: ReadonlySet<string>): void {
  if (ids.size <= MAX_SETS) return
  const message = `the filters name ${ids.size} sets; name at most ${MAX_SETS}, or make one of them first`
  throw new EngineError('too_many', message, { at: 'filters' })
}
