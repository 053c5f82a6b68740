import { EngineError } from '../../shared/errors.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import type { DatasetName } from '../datasets/define.ts'
import { FILTER_LIMITS } from '../query/filter-budget.ts'
import { parseFilterText } from '../query/filter-text.ts'
import type { ReadingSteps } from '../query/filter-tree.ts'
import { SET_PREFIX } from '../query/pattern.ts'
import { PinnedSet } from '../query/pinned-set.ts'
import type { SetRecord, SetType } from './set-store.ts'

/** Maximum number of sets in the filters of one request. Each set takes as long as a condition. */
const MAX_SETS = 100

export const DATASET_OF_SET: Readonly<Record<SetType, DatasetName>> = Object.freeze({
  case: 'cases',
  gene: 'genes',
  ssm: 'ssms',
  file: 'files',
})

/** Returns the id of a set without the prefix `set_id:`. */
export const bareSetId = (text: string): string =>
  text.startsWith(SET_PREFIX) ? text.slice(SET_PREFIX.length) : text

const SET_ID = /^[0-9a-f]{32}$/

export const isSetId = (id: string): boolean => SET_ID.test(id)

/** Number of values that are looked at before the event loop may get a turn. */
const STEP_VALUES = 256

/**
 * Parses the JSON text of filters, or each text in a list, if it may refer to a set. Returns anything else
 * unchanged, including invalid JSON, which the parser of filters reports.
 */
export function* parsedFilters(filters: unknown): ReadingSteps<unknown> {
  if (!Array.isArray(filters)) return yield* parsedFilter(filters)
  const all: unknown[] = []
  for (const one of filters) all.push(yield* parsedFilter(one))
  return all
}

function* parsedFilter(filter: unknown): ReadingSteps<unknown> {
  if (typeof filter !== 'string' || !filter.includes(SET_PREFIX)) return filter
  try {
    return yield* parseFilterText(filter, 'filters')
  } catch {
    return filter
  }
}

/**
 * Returns the ids of the sets to which filters refer, in steps. Accepts any value. Anything nested more deeply
 * than MAX_DEPTH is skipped, because such filters are rejected later.
 */
export function* namedSets(filters: unknown): ReadingSteps<ReadonlySet<string>> {
  const ids = new Set<string>()
  let count = 0
  function* visit(value: unknown, depth: number): ReadingSteps<void> {
    if (++count % STEP_VALUES === 0) yield
    if (depth > MAX_DEPTH) return
    const isList = Array.isArray(value)
    if (!isList && (!isObject(value) || value instanceof PinnedSet)) return
    for (const one of isList ? value : Object.values(value)) {
      if (typeof one !== 'string') yield* visit(one, depth + 1)
      else if (one.startsWith(SET_PREFIX)) ids.add(bareSetId(one))
    }
  }
  yield* visit([filters], -1)
  return ids
}

/**
 * Maximum depth of JSON to visit. Valid filters are less deep: a junction takes two levels, the object and the
 * list in its `content`, and a condition takes at most four.
 */
const MAX_DEPTH = 4 * FILTER_LIMITS.depth

/**
 * Returns a copy of filters in which a `PinnedSet` replaces each value that refers to a known set. Works in
 * steps. Values that refer to unknown sets remain.
 */
export function* withPinned(
  filters: unknown,
  known: ReadonlyMap<string, SetRecord>,
): ReadingSteps<unknown> {
  let count = 0
  function* copyOf(value: unknown, depth: number): ReadingSteps<unknown> {
    if (++count % STEP_VALUES === 0) yield
    if (depth > MAX_DEPTH) return value
    if (typeof value === 'string') return pinnedValue(value, known)
    if (Array.isArray(value)) {
      const copy: unknown[] = []
      for (const one of value) {
        copy.push(typeof one === 'string' ? pinnedValue(one, known) : yield* copyOf(one, depth + 1))
      }
      return copy
    }
    if (!isObject(value) || value instanceof PinnedSet) return value
    const members: [string, unknown][] = []
    for (const [name, one] of Object.entries(value)) {
      members.push([name, yield* copyOf(one, depth + 1)])
    }
    return Object.fromEntries(members)
  }
  return yield* copyOf(filters, 0)
}

function pinnedValue(value: string, known: ReadonlyMap<string, SetRecord>): string | PinnedSet {
  const record = value.startsWith(SET_PREFIX) ? known.get(bareSetId(value)) : undefined
  return record ? new PinnedSet(record.id, DATASET_OF_SET[record.type], record.version) : value
}

/**
 * Throws if filters contain more than MAX_SETS sets.
 * @throws EngineError too_many if they do
 */
export function checkNamed(ids: ReadonlySet<string>): void {
  if (ids.size <= MAX_SETS) return
  const message = `the filters name ${ids.size} sets; name at most ${MAX_SETS}, or make one of them first`
  throw new EngineError('too_many', message, { at: 'filters' })
}
