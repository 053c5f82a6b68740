import type { TableName } from '../datasets/define.ts'
import { kindOf } from './facet-kinds.ts'
import { columnOf, joinCost, type Layouts, OWN, rowsOf, stepSize, WORD } from './field-cost.ts'
import type { Filter, Leaf } from './filter-tree.ts'
import { badInput } from './input.ts'
import { leafFields, leavesOf } from './keys.ts'
import type { Query } from './query.ts'

/** Cost of finding a value in a dictionary. */
const LOOKUP = 2000

/** Cost of planning one condition, without looking up its values. */
const PLANNING = 5000

/** Cost of decoding a value of a dictionary. MATCH is the cost of comparing it with one part of a pattern. */
const DECODE = 50
const MATCH = 20

/** Maximum cost of one query, which occupies a thread for about a second (data-commons.md 11.8). */
export const MAX_COST = 1_000_000_000

/**
 * Returns the cost of a query.
 * @throws EngineError bad_input if it is above the limit
 */
export function boundedCost(query: Query, layouts: Layouts): number {
  return withinLimit(costOf(query, layouts))
}

/**
 * Returns the cost of finding the rows of a table that match a filter, and of visiting all rows once.
 * @throws EngineError bad_input if it is above the limit
 */
export function boundedFilterCost(
  table: TableName,
  filter: Filter | undefined,
  layouts: Layouts,
): number {
  return withinLimit(filterCost(table, filter, layouts))
}

/** Returns the cost of finding the rows of a table that match a filter, and of visiting all rows once. */
export function filterCost(table: TableName, filter: Filter | undefined, layouts: Layouts): number {
  const { cost } = filter ? nodeCost(filter, table, layouts) : ALL
  return Math.round(cost + OWN * rowsOf(table, layouts))
}

/**
 * Returns the given cost, which may be a sum over queries.
 * @throws EngineError bad_input if it is above the limit
 */
export function withinLimit(cost: number): number {
  if (cost <= MAX_COST) return cost
  const message = `the query would look at about ${cost} values; the limit is ${MAX_COST}`
  throw badInput(message, 'filters')
}

/**
 * Estimates the number of elements that a query visits, from the sizes in the release's manifest. Visiting an
 * element takes about a nanosecond.
 */
export function costOf(query: Query, layouts: Layouts): number {
  const { filter, facets, page } = costsOf(query, layouts)
  return Math.round(facets.reduce((sum, cost) => sum + cost, filter + page))
}

interface Costs {
  /** Cost of evaluating the filter. */
  readonly filter: number
  /** Cost of each facet, in addition to that of the filter. */
  readonly facets: readonly number[]
  /** Cost of finding the rows of the page among the matching rows. */
  readonly page: number
}

/** Estimates the cost of each part of a query. */
export function costsOf(query: Query, layouts: Layouts): Costs {
  const { dataset, facets, sort, size } = query
  const { rows } = layouts[dataset]
  const { cost: filter, share } = query.filter ? nodeCost(query.filter, dataset, layouts) : ALL
  const leaves = query.filter ? leafFields(query.filter) : []
  const filtered = new Set(leaves.map(({ path }) => path))
  const sorting = sort.reduce((sum, { field }) => sum + 4 * joinCost(field, dataset, layouts), 0)
  return {
    filter,
    facets: facets.map(({ field, counts, isFiltered }) => {
      // A facet ignores conditions on its own field, so the other conditions are planned again for it.
      const isOwn = !isFiltered && filtered.has(field.path)
      const planning = isOwn ? leaves.length * PLANNING : 0
      const counted = { dataset, share: isOwn ? 1 : share, isAll: !query.filter }
      return counts.reduce(
        (sum, count) => sum + kindOf(count).cost(field, count, counted, layouts),
        planning,
      )
    }),
    page: sorting * share + Math.min(size, share * rows),
  }
}

const ALL: Estimate = { cost: 0, share: 1 }

interface Estimate {
  readonly cost: number
  /** Upper bound of the fraction of rows that match, 0 to 1. */
  readonly share: number
}

function nodeCost(filter: Filter, table: TableName, layouts: Layouts): Estimate {
  if (filter.kind === 'leaf') return leafCost(filter, table, layouts)
  const parts = filter.parts.map((part) => nodeCost(part, table, layouts))
  if (filter.kind === 'or') {
    const share = parts.reduce((sum, part) => sum + part.share, 0)
    return { cost: parts.reduce((sum, { cost }) => sum + cost, 0), share: Math.min(1, share) }
  }
  // If few rows match, testing them costs little more than reading the words of their bitmap.
  const words = rowsOf(table, layouts) * WORD
  return parts
    .toSorted((one, other) => one.share - other.share)
    .reduce((all, { cost, share }) => ({
      cost: all.cost + Math.min(cost, words + cost * all.share),
      share: Math.min(all.share, share),
    }))
}

function leafCost(leaf: Leaf, table: TableName, layouts: Layouts): Estimate {
  const { field, op, values } = leaf
  const column = columnOf(field, layouts)
  const rows = rowsOf(table, layouts)
  if (!column || rows === 0) return { cost: rows * WORD, share: 1 }
  const lookup = lookupCost(leaf, column.distinct)
  const isDirect = column.identity && field.steps.length === 0
  if (isDirect && op === 'in' && leaf.searchedPartCount === 0 && !leaf.sets) {
    return { cost: lookup + rows * WORD, share: Math.min(1, values.length / rows) }
  }
  const last = field.steps.at(-1)
  const scanned = last ? stepSize(last, layouts) : rows
  if (field.region) {
    // Each region needs one pass over the chromosomes, one over the starts and one over the ends.
    const passes = values.length * 3 * scanned
    return { cost: 3 * lookup + joinCost(field, table, layouts) + passes, share: 1 }
  }
  // If the column has one bitmap per value, its codes are not scanned.
  const saved = column.bitmapped ? scanned * (1 - WORD) : 0
  return { cost: lookup + joinCost(field, table, layouts) - saved, share: 1 }
}

/** Returns the cost of finding the values of a condition in the dictionary of its column. */
function lookupCost(
  { values, searchedPartCount }: Pick<Leaf, 'values' | 'searchedPartCount'>,
  distinct: number,
): number {
  return (
    values.length * LOOKUP +
    (searchedPartCount > 0 ? distinct * (DECODE + searchedPartCount * MATCH) : 0)
  )
}

/** Returns the cost of planning a filter, which includes looking up its values. */
export function planningCost(filter: Filter | undefined, layouts: Layouts): number {
  if (!filter) return 0
  return leavesOf(filter).reduce((sum, leaf) => {
    const distinct = columnOf(leaf.field, layouts)?.distinct ?? 0
    return sum + PLANNING + leaf.ranges.length * 2 * LOOKUP + lookupCost(leaf, distinct)
  }, 0)
}
