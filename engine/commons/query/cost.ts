import type { AssociationName, DatasetName, TableName } from '../datasets/define.ts'
import type { FieldPath, Step } from '../datasets/field-path.ts'
import type { DatasetLayout, ReleaseManifest } from '../release/layout.ts'
import type { Filter, Leaf } from './filter-tree.ts'
import { badInput } from './input.ts'
import { MAX_INTERVALS } from './intervals.ts'
import { leafFields, leavesOf } from './keys.ts'
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

/** Decoding a value; comparing it with one chunk of a pattern; writing a bucket for it. */
const DECODE = 50
const MATCH = 20
export const BUCKET = 300

/** Counting an element of the dataset's own, and one that is reached through a link. */
export const OWN = 0.7
export const LINKED = 1.5

/** Following one of a list, on the way of one row, and passing over one on the way of all rows. */
const WALKED = 25
const PASSED = 2

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
  const sorting = sort.reduce((sum, { field }) => sum + 4 * joinCost(field, dataset, layouts), 0)
  return {
    filter,
    facets: facets.map(({ field, interval, isHistogramOnly }) => {
      // Its own conditions are left out, and what is left is planned for it alone.
      const isOwn = filtered.has(field.path)
      const planning = isOwn ? leaves.length * PLANNING : 0
      const counted = { dataset, share: isOwn ? 1 : share, isAll: !query.filter }
      const values = isHistogramOnly ? 0 : facetCost(field, counted, layouts)
      const intervals = interval === undefined ? 0 : histogramCost(field, counted, layouts)
      return planning + values + intervals
    }),
    page: sorting * share + Math.min(size, share * rows),
  }
}

type Counted = Pick<Query, 'dataset'> & { readonly share: number; readonly isAll: boolean }

/** Each value and each element is given its interval, then these are counted. */
function histogramCost(field: FieldPath, counted: Counted, layouts: Layouts): number {
  const column = columnOf(field, layouts)
  if (!column) return 0
  const { dataset, path } = field.column
  const elements = layouts[dataset].levels[column.level]?.elements ?? layouts[dataset].rows
  const intervals = { ...column, distinct: Math.min(column.distinct, MAX_INTERVALS) }
  const columns = { ...layouts[dataset].columns, [path]: intervals }
  const cut = { ...layouts, [dataset]: { ...layouts[dataset], columns } }
  return column.distinct + elements + facetCost(field, { ...counted, isAll: false }, cut)
}

function facetCost(field: FieldPath, { dataset, share, isAll }: Counted, layouts: Layouts): number {
  const column = columnOf(field, layouts)
  if (!column) return 0
  const { rows } = layouts[dataset]
  const buckets = column.kind === 'text' ? Math.min(column.distinct, 4 * rows * share) * BUCKET : 0
  const isOwn = field.steps.every(({ kind }) => kind === 'level')
  if (isOwn && isAll) return column.distinct + buckets
  const isReverse = field.steps.some(({ kind }) => kind === 'reverse')
  if (!column.multi && !isReverse) return OWN * rows * share + buckets
  const joinPath = joinCost(field, dataset, layouts)
  const lists = field.steps.filter(({ kind }) => kind !== 'link').length
  if (!isReverse || lists === 1) {
    return (OWN * rows + (isOwn ? OWN : LINKED) * (joinPath - rows)) * share + buckets
  }
  // Either each row's way is gone, or that of all rows once for each value (value-tally.ts).
  const walking = WALKED * walkedSize(field, dataset, layouts) * share
  return Math.min(walking, PASSED * (column.distinct + 2) * joinPath) + buckets
}

/**
 * All that is reached when each row's way is gone for itself: a record that many lead to counts for
 * each of them. What a record leads to that the rows name themselves is counted once (target-tally.ts).
 */
function walkedSize({ steps }: FieldPath, dataset: DatasetName, layouts: Layouts): number {
  let reached = rowsOf(dataset, layouts)
  let total = 0
  let isDirect = true
  for (const step of steps) {
    if (step.kind === 'link') {
      if (isDirect) reached = Math.min(reached, rowsOf(step.target, layouts))
      isDirect = false
    } else {
      reached *= fanOut(step, layouts)
      if (step.kind === 'reverse') isDirect = false
    }
    total += reached
  }
  return total
}

/** How many elements or records one leads to, on average. */
function fanOut(step: Exclude<Step, { kind: 'link' }>, layouts: Layouts): number {
  const { levels = {} } = layouts[step.kind === 'level' ? step.dataset : step.target] ?? {}
  if (step.kind === 'level') {
    const level = levels[step.level]
    if (!level) return 0
    const above = levels[level.parent]?.elements ?? rowsOf(step.dataset, layouts)
    return level.elements / above
  }
  const holders = levels[step.through]?.elements ?? rowsOf(step.target, layouts)
  return holders / Math.max(1, rowsOf(step.dataset, layouts))
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

function leafCost(leaf: Leaf, table: TableName, layouts: Layouts): Estimate {
  const { field, op, values } = leaf
  const column = columnOf(field, layouts)
  const rows = rowsOf(table, layouts)
  if (!column || rows === 0) return { cost: rows * WORD, share: 1 }
  const lookup = lookupCost(leaf, column.distinct)
  const isDirect = column.identity && field.steps.length === 0
  if (isDirect && op === 'in' && leaf.chunks === 0) {
    return { cost: lookup + rows * WORD, share: Math.min(1, values.length / rows) }
  }
  const last = field.steps.at(-1)
  const scanned = last ? stepSize(last, layouts) : rows
  if (field.region) {
    // A pass over chromosome and positions for each.
    const passes = values.length * 3 * scanned
    return { cost: 3 * lookup + joinCost(field, table, layouts) + passes, share: 1 }
  }
  // The column itself is not looked at when it has sets of elements by value.
  const saved = column.bitmapped ? scanned * (1 - WORD) : 0
  return { cost: lookup + joinCost(field, table, layouts) - saved, share: 1 }
}

/** Finding a condition's values among those of its column. */
function lookupCost({ values, chunks }: Pick<Leaf, 'values' | 'chunks'>, distinct: number): number {
  return values.length * LOOKUP + (chunks > 0 ? distinct * (DECODE + chunks * MATCH) : 0)
}

/** What it costs to plan a filter: its values are found before anything is evaluated. */
export function planningCost(filter: Filter | undefined, layouts: Layouts): number {
  if (!filter) return 0
  return leavesOf(filter).reduce((sum, leaf) => {
    const distinct = columnOf(leaf.field, layouts)?.distinct ?? 0
    return sum + PLANNING + leaf.ranges.length * 2 * LOOKUP + lookupCost(leaf, distinct)
  }, 0)
}

/** `undefined`: no record has the field. */
export const columnOf = ({ column }: FieldPath, layouts: Layouts) =>
  layouts[column.dataset].columns[column.path]

/** All elements and rows along a field's way. */
function joinCost({ steps }: FieldPath, table: TableName, layouts: Layouts): number {
  return steps.reduce((sum, step) => sum + stepSize(step, layouts), rowsOf(table, layouts))
}

function stepSize(step: Step, layouts: Layouts): number {
  if (step.kind === 'level') return layouts[step.dataset]?.levels[step.level]?.elements ?? 0
  return rowsOf(step.target, layouts)
}

/** Loading the arrays says that a release lacks a table; its size is asked before. */
const rowsOf = (table: TableName, layouts: Layouts) => layouts[table]?.rows ?? 0
