import { atOnce } from '../../shared/concurrency/at-once.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { jsonErrorText } from '../../shared/input/json-error.ts'
import { isObject, member } from '../../shared/input/unknowns.ts'
import type { Dataset } from '../datasets/define.ts'
import { createResolver } from '../datasets/resolver.ts'
import { FILTER_LIMITS, FilterBudget } from './filter-budget.ts'
import type { Filter, FilterContext, ReadingSteps } from './filter-tree.ts'
import { badInput } from './input.ts'
import { readLeaf } from './leaf.ts'
import { withRegions } from './regions.ts'

/** How the filters of one request are read. */
export interface FilterReading extends Pick<FilterContext, 'nearest' | 'records' | 'resolve'> {
  /** Shared by all filters of the request; left out, this one has its own. */
  readonly budget?: FilterBudget | undefined
  /** Left out, nothing else shares them. */
  readonly turns?: LoopTurns | undefined
}

/**
 * Reads a filter (data-commons.md 1): an object or its JSON text. `undefined` is no condition; so are null,
 * empty text, an empty object, and an `and` or `or` of an empty list. `at` is what the filter is called in
 * messages.
 * @throws EngineError bad_input naming the place of the error
 */
export function parseFilter(dataset: Dataset, value: unknown, at = 'filters'): Filter | undefined {
  const { resolveFilter } = createResolver(dataset)
  return parseFilterOn(dataset.name, resolveFilter, value, at)
}

/** As `parseFilter`, for records whose fields are found by another rule (data-commons.md 6.1). */
export function parseFilterOn(
  records: string,
  resolve: FilterContext['resolve'],
  value: unknown,
  at = 'filters',
): Filter | undefined {
  const context = { records, resolve: withRegions(resolve), budget: new FilterBudget() }
  return atOnce(parseValue(value, at, context))
}

/** As `parseFilterOn`, with others let in between: a filter may have as many values as a limit allows. */
export function readFilter(
  value: unknown,
  { resolve, budget = new FilterBudget(), turns = new LoopTurns(), ...reading }: FilterReading,
  at = 'filters',
): Promise<Filter | undefined> {
  return turns.run(parseValue(value, at, { ...reading, resolve: withRegions(resolve), budget }))
}

/**
 * As `readFilter`, several; one without a condition counts as a value. The place of each in messages
 * is `filters[i]`.
 */
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
  const given = typeof value === 'string' ? parseText(value, at) : value
  if (given === undefined || given === null) return undefined
  if (isObject(given) && Object.keys(given).length === 0) return undefined
  return yield* parseNode(given, at, 1, context)
}

function parseText(text: string, at: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = `${at} is ${jsonErrorText(text, cause)}; give an object with op and content, or its JSON text`
    throw new EngineError('bad_input', message, { at, cause })
  }
}

/** `undefined` is no restriction: an `and` or `or` of an empty list (data-commons.md 1.1). */
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
  // All are read although one of an `or` restricts nothing: mistakes are told in every case.
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
