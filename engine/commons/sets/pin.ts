import { EngineError } from '../../shared/errors.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import type { DatasetName } from '../datasets/define.ts'
import { FILTER_LIMITS } from '../query/filter-budget.ts'
import { SET_PREFIX } from '../query/pattern.ts'
import { PinnedSet } from '../query/pinned-set.ts'
import type { SetRecord, SetType } from './set-store.ts'

/** Sets that the filters of one request may name; each takes as long as a condition. */
const MAX_SETS = 100

export const DATASET_OF_SET: Readonly<Record<SetType, DatasetName>> = Object.freeze({
  case: 'cases',
  gene: 'genes',
  ssm: 'ssms',
  file: 'files',
})

/** The id that a text names with the prefix or without. */
export const bareSetId = (text: string): string =>
  text.startsWith(SET_PREFIX) ? text.slice(SET_PREFIX.length) : text

const SET_ID = /^[0-9a-f]{32}$/

/** Whether a text can be the id of a set. */
export const isSetId = (id: string): boolean => SET_ID.test(id)

/** JSON text of filters as what it says; what is none is left to who reads filters. */
export function parsedFilters(filters: unknown): unknown {
  if (typeof filters !== 'string' || !filters.includes(SET_PREFIX)) return filters
  try {
    return JSON.parse(filters)
  } catch {
    return filters
  }
}

/** Ids of the sets that filters name. Takes anything, also what is nested too deep to be a filter. */
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

/** Each level of a filter has an object, its `content`, and a list. */
const MAX_DEPTH = 4 * FILTER_LIMITS.depth

/** Filters with the sets that are known in the place of the values that name them; the given ones stay as they are. */
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

/** @throws EngineError too_many */
export function checkNamed(ids: ReadonlySet<string>): void {
  if (ids.size <= MAX_SETS) return
  const message = `the filters name ${ids.size} sets; name at most ${MAX_SETS}, or make one of them first`
  throw new EngineError('too_many', message, { at: 'filters' })
}
