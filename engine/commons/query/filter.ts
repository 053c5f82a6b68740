import { atOnce } from '../../shared/concurrency/at-once.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { isObject, member } from '../../shared/input/unknowns.ts'
import { FILTER_LIMITS, FilterBudget } from './filter-budget.ts'
import { parseFilterText } from './filter-text.ts'
import type { Filter, FilterContext, ReadingSteps } from './filter-tree.ts'
import { badInput } from './input.ts'
import { readLeaf } from './leaf.ts'
import { withRegions } from './regions.ts'

/** Context for parsing the filters of one request. */
export interface FilterReading extends Pick<FilterContext, 'nearest' | 'records' | 'resolve'> {
  /** Budget shared by all filters of the request. By default, the filter has its own. */
  readonly budget?: FilterBudget | undefined
  /** Yields to the event loop, shared by all parts of the process. By default, the filter has its own. */
  readonly turns?: LoopTurns | undefined
}

/**
 * Parses a filter (data-commons.md 1) from an object or JSON text. Returns undefined if the filter has no
 * condition: null, empty text, an empty object, or an `and` or `or` of an empty list.
 * @param at name of the filter in messages
 * @throws EngineError bad_input with the place of the error
 */
export function parseFilterOn(
  records: string,
  resolve: FilterContext['resolve'],
  value: unknown,
  at = 'filters',
): Filter | undefined {
  const context = { records, resolve: withRegions(resolve), budget: new FilterBudget() }
  return atOnce(parseValue(value, at, context))
}

/** Parses a filter like `parseFilterOn`, but yields to the event loop, because filters may have many values. */
export function readFilter(
  value: unknown,
  { resolve, budget = new FilterBudget(), turns = new LoopTurns(), ...reading }: FilterReading,
  at = 'filters',
): Promise<Filter | undefined> {
  return turns.run(parseValue(value, at, { ...reading, resolve: withRegions(resolve), budget }))
}

/** Parses several filters like `readFilter`. An empty filter is charged as one value. Messages name `filters[i]`. */
export async function readFilters(
  values: readonly unknown[],
  { budget = new FilterBudget(), ...reading }: FilterReading,
): Promise<readonly (Filter | undefined)[]> {
  const filters: (Filter | undefined)[] = []
  for (const [i, value] of values.entries()) {
    const at = `filters[${i}]`
    const filter = await readFilter(value, { ...reading, budget }, at)
    if (!filter) budget.spendValues(1, at)
    filters.push(filter)
  }
  return filters
}

function* parseValue(
  value: unknown,
  at: string,
  context: FilterContext,
): ReadingSteps<Filter | undefined> {
  const given = typeof value === 'string' ? yield* parseFilterText(value, at) : value
  if (given === undefined || given === null) return undefined
  if (isObject(given) && Object.keys(given).length === 0) return undefined
  return yield* parseNode(given, at, 1, context)
}

/** Parses a node. Returns undefined for no restriction: an `and` or `or` of nothing (data-commons.md 1.1). */
function* parseNode(
  value: unknown,
  at: string,
  depth: number,
  context: FilterContext,
): ReadingSteps<Filter | undefined> {
  if (depth > FILTER_LIMITS.depth) {
    const message = `the filter is nested deeper than ${FILTER_LIMITS.depth}, which is the limit`
    throw badInput(message, at.split('.', 1)[0] ?? at)
  }
  if (!isObject(value)) throw badInput(`${at} must be an object with op and content`, at)
  const op = member(value, 'op')
  if (typeof op !== 'string') {
    throw badInput(`${at}.op must be the text of an operator`, `${at}.op`)
  }
  const content = member(value, 'content')
  const kind = op.toLowerCase()
  if (kind !== 'and' && kind !== 'or') return yield* readLeaf(kind, content, at, context)
  if (!Array.isArray(content)) {
    throw badInput(`${at}.content of "${kind}" must be a list of filters`, `${at}.content`)
  }
  const parts: Filter[] = []
  // If one part is unrestricted, the `or` is too, but further parts are still parsed to report errors.
  let isOpen = content.length === 0
  for (const [i, part] of content.entries()) {
    const filter = yield* parseNode(part, `${at}.content[${i}]`, depth + 1, context)
    if (filter) parts.push(filter)
    else isOpen ||= kind === 'or'
    yield
  }
  if (isOpen || parts.length === 0) return undefined
  return Object.freeze({ kind, parts: Object.freeze(parts) })
}
