import type { AssociationName, DatasetName, TableName } from '../datasets/define.ts'
import type { FieldPath, Step } from '../datasets/field-path.ts'
import type { DatasetLayout, ReleaseManifest } from '../release/layout.ts'
import type { Filter, FilterValue, Leaf } from './filter-tree.ts'
import { badInput } from './input.ts'
import { leafFields, leavesOf } from './keys.ts'
import { isPattern, isPrefixPattern, piecesOf } from './pattern.ts'
import type { Query } from './query.ts'

export type Layouts = Readonly<
  Record<DatasetName, DatasetLayout> & Partial<Record<AssociationName, DatasetLayout>>
>

/** Of every table that a release has. */
export const layoutsOf = ({ datasets, associations }: ReleaseManifest): Layouts => ({
  ...datasets,
  ...associations,
})

/** Going through the words of a set, per row, beside looking at each row. */
export const WORD = 1 / 16

/** Finding one value among many. */
const LOOKUP = 2000

/** Deciding how one condition is evaluated, besides finding its values. */
const PLANNING = 5000

/** Decoding a value; comparing it with one piece of a pattern; writing a bucket for it. */
const DECODE = 50
const MATCH = 20
const BUCKET = 300

/** Counting an element of the dataset's own, and one that is reached through a link. */
const OWN = 0.7
const LINKED = 1.5

/** The most that one query may cost: it would hold a thread for about a second (data-commons.md 11.8). */
export const MAX_COST = 1_000_000_000

/**
 * The cost of a query that is within the limit.
 * @throws EngineError bad_input saying the limit
 */
export function boundedCost(query: Query, layouts: Layouts): number {
  return withinLimit(costOf(query, layouts))
}

/**
 * The cost of finding the rows of any table that pass a filter, all of them looked at once besides.
 * @throws EngineError bad_input as above
 */
export function boundedFilterCost(
  table: TableName,
  filter: Filter | undefined,
  layouts: Layouts,
): number {
  const { cost } = filter ? nodeCost(filter, table, layouts) : ALL
  return withinLimit(Math.round(cost + OWN * rowsOf(table, layouts)))
}

/**
 * A cost, of several queries together too, that is within the limit.
 * @throws EngineError bad_input saying the limit
 */
export function withinLimit(cost: number): number {
  if (cost <= MAX_COST) return cost
  const message = `the query would look at about ${cost} values; the limit is ${MAX_COST}`
  throw badInput(message, 'filters')
}

/**
 * About how many elements answering a query visits, from the sizes of the release alone; about a
 * nanosecond each.
 */
export function costOf(query: Query, layouts: Layouts): number {
  const { filter, facets, page } = costsOf(query, layouts)
  return Math.round(facets.reduce((sum, cost) => sum + cost, filter + page))
}

export interface Costs {
  /** Of evaluating the filter. */
  readonly filter: number
  /** Of each facet, besides that. */
  readonly facets: readonly number[]
  /** Of finding the rows of the page among those that pass. */
  readonly page: number
}

export function costsOf(query: Query, layouts: Layouts): Costs {
  const { dataset, facets, sort, size } = query
  const { rows } = layouts[dataset]
  const { cost: filter, share } = query.filter ? nodeCost(query.filter, dataset, layouts) : ALL
  const leaves = query.filter ? leafFields(query.filter) : []
  const filtered = new Set(leaves.map(({ path }) => path))
  const sorting = sort.reduce((sum, { field }) => sum + 4 * wayCost(field, dataset, layouts), 0)
  return {
    filter,
    facets: facets.map(({ field }) => {
      // Its own conditions are left out, and what is left is planned for it alone.
      const isOwn = filtered.has(field.path)
      const planning = isOwn ? leaves.length * PLANNING : 0
      const counted = { dataset, share: isOwn ? 1 : share, isAll: !query.filter }
      return planning + facetCost(field, counted, layouts)
    }),
    page: sorting * share + Math.min(size, share * rows),
  }
}

function facetCost(
  field: FieldPath,
  { dataset, share, isAll }: Pick<Query, 'dataset'> & { share: number; isAll: boolean },
  layouts: Layouts,
): number {
  const column = columnOf(field, layouts)
  if (!column) return 0
  const { rows } = layouts[dataset]
  const buckets = column.kind === 'text' ? Math.min(column.distinct, 4 * rows * share) * BUCKET : 0
  const isOwn = field.steps.every(({ kind }) => kind === 'level')
  if (isOwn && isAll) return column.distinct + buckets
  const isJoined = !column.multi && field.steps.every(({ kind }) => kind !== 'reverse')
  if (isJoined) return OWN * rows * share + buckets
  const below = wayCost(field, dataset, layouts) - rows
  return (OWN * rows + (isOwn ? OWN : LINKED) * below) * share + buckets
}

const ALL: Estimate = { cost: 0, share: 1 }

interface Estimate {
  readonly cost: number
  /** Part of the rows that pass, at most. */
  readonly share: number
}

function nodeCost(filter: Filter, table: TableName, layouts: Layouts): Estimate {
  if (filter.kind === 'leaf') return leafCost(filter, table, layouts)
  const parts = filter.parts.map((part) => nodeCost(part, table, layouts))
  if (filter.kind === 'or') {
    const share = parts.reduce((sum, part) => sum + part.share, 0)
    return { cost: parts.reduce((sum, { cost }) => sum + cost, 0), share: Math.min(1, share) }
  }
  // What is asked of few rows costs little more than going through the words of a set.
  const words = rowsOf(table, layouts) * WORD
  return parts
    .toSorted((one, other) => one.share - other.share)
    .reduce((all, { cost, share }) => ({
      cost: all.cost + Math.min(cost, words + cost * all.share),
      share: Math.min(all.share, share),
    }))
}

function leafCost({ field, op, values }: Leaf, table: TableName, layouts: Layouts): Estimate {
  const column = columnOf(field, layouts)
  const rows = rowsOf(table, layouts)
  if (!column || rows === 0) return { cost: rows * WORD, share: 1 }
  const finding = findingCost(values, column.distinct)
  const isDirect = column.identity && field.steps.length === 0
  if (isDirect && op === 'in' && !values.some(isSearched)) {
    return { cost: finding + rows * WORD, share: Math.min(1, values.length / rows) }
  }
  const last = field.steps.at(-1)
  const scanned = last ? stepSize(last, layouts) : rows
  // The column itself is not looked at when it has sets of elements by value.
  const saved = column.bitmapped ? scanned * (1 - WORD) : 0
  return { cost: finding + wayCost(field, table, layouts) - saved, share: 1 }
}

/** Finding a condition's values among those of its column. */
function findingCost(values: readonly FilterValue[], distinct: number): number {
  const pieces = values.reduce<number>(
    (sum, value) => sum + (isSearched(value) ? piecesOf(value) : 0),
    0,
  )
  return values.length * LOOKUP + (pieces > 0 ? distinct * (DECODE + pieces * MATCH) : 0)
}

/** Whether each value of a column is compared with it. */
const isSearched = (value: FilterValue): value is string =>
  typeof value === 'string' && isPattern(value) && !isPrefixPattern(value)

/** What it costs to plan a filter: its values are found before anything is evaluated. */
export function planningCost(filter: Filter | undefined, layouts: Layouts): number {
  if (!filter) return 0
  return leavesOf(filter).reduce((sum, { field, values, ranges }) => {
    const distinct = columnOf(field, layouts)?.distinct ?? 0
    return sum + PLANNING + ranges.length * 2 * LOOKUP + findingCost(values, distinct)
  }, 0)
}

const columnOf = ({ column }: FieldPath, layouts: Layouts) =>
  layouts[column.dataset].columns[column.path]

/** All elements and rows along a field's way. */
function wayCost({ steps }: FieldPath, table: TableName, layouts: Layouts): number {
  return steps.reduce((sum, step) => sum + stepSize(step, layouts), rowsOf(table, layouts))
}

function stepSize(step: Step, layouts: Layouts): number {
  if (step.kind === 'level') return layouts[step.dataset]?.levels[step.level]?.elements ?? 0
  return rowsOf(step.target, layouts)
}

/** Loading the arrays says that a release lacks a table; its size is asked before. */
const rowsOf = (table: TableName, layouts: Layouts) => layouts[table]?.rows ?? 0
