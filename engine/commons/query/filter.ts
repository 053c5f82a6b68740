import { EngineError } from '../../shared/errors.ts'
import { isObject, member } from '../../shared/input/unknowns.ts'
import type { Dataset } from '../datasets/define.ts'
import { createResolver } from '../datasets/resolve.ts'
import type { Filter, FilterContext } from './filter-tree.ts'
import { badInput } from './input.ts'
import { readLeaf } from './leaf.ts'

/**
 * Depth of nesting and number of values that one filter may have (data-commons.md 11.8); values with `*`
 * among these, and characters of each.
 */
export const FILTER_LIMITS = Object.freeze({
  depth: 32,
  terms: 10_000,
  patterns: 1000,
  patternLength: 1000,
})

/**
 * Reads a filter (data-commons.md 1): an object or its JSON text. `undefined` is no condition; so are
 * null, empty text and an empty object. `at` is what the filter is called in messages.
 * @throws EngineError bad_input naming the place of the fault
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
  return parseValue(value, at, { records, resolve, ...counters() })
}

/**
 * As `parseFilterOn`, several that share the limit of terms; one without a condition counts as one.
 * The place of each in messages is `filters[i]`.
 */
export function parseFiltersOn(
  records: string,
  resolve: FilterContext['resolve'],
  values: readonly unknown[],
): readonly (Filter | undefined)[] {
  const context = { records, resolve, ...counters() }
  return values.map((value, i) => {
    const filter = parseValue(value, `filters[${i}]`, context)
    if (!filter) context.spend(1, `filters[${i}]`)
    return filter
  })
}

function counters(): Pick<FilterContext, 'spend' | 'spendPattern'> {
  const { terms: maxTerms, patterns: maxPatterns, patternLength } = FILTER_LIMITS
  let terms = 0
  let patterns = 0
  const tooMany = (what: string, at: string) =>
    badInput(`the filter has more than ${what}, which is the limit`, at)
  return {
    spend(more, at) {
      terms += more
      if (terms > maxTerms) throw tooMany(`${maxTerms} terms`, at)
    },
    spendPattern({ length }, at) {
      patterns += 1
      if (patterns > maxPatterns) throw tooMany(`${maxPatterns} values with "*"`, at)
      if (length <= patternLength) return
      const message = `${at} with "*" has ${length} characters; the limit is ${patternLength}`
      throw badInput(message, at)
    },
  }
}

function parseValue(value: unknown, at: string, context: FilterContext): Filter | undefined {
  const given = typeof value === 'string' ? parseText(value, at) : value
  if (given === undefined || given === null) return undefined
  if (isObject(given) && Object.keys(given).length === 0) return undefined
  return parseNode(given, at, 1, context)
}

function parseText(text: string, at: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new EngineError('bad_input', `${at} is no JSON text`, { at, cause })
  }
}

function parseNode(value: unknown, at: string, depth: number, context: FilterContext): Filter {
  if (depth > FILTER_LIMITS.depth) {
    throw badInput(
      `the filter is nested deeper than ${FILTER_LIMITS.depth}, which is the limit`,
      at,
    )
  }
  if (!isObject(value)) throw badInput(`${at} must be an object with op and content`, at)
  const op = member(value, 'op')
  if (typeof op !== 'string') {
    throw badInput(`${at}.op must be the text of an operator`, `${at}.op`)
  }
  const content = member(value, 'content')
  const kind = op.toLowerCase()
  if (kind !== 'and' && kind !== 'or') return readLeaf(kind, content, at, context)
  if (!Array.isArray(content) || content.length === 0) {
    const message = `${at}.content of "${kind}" must be a list of at least one filter`
    throw badInput(message, `${at}.content`)
  }
  const parts = content.map((part, i) => parseNode(part, `${at}.content[${i}]`, depth + 1, context))
  return Object.freeze({ kind, parts: Object.freeze(parts) })
}
