import type { DatasetName } from '../datasets/define.ts'
import type { FieldPath, Step } from '../datasets/field-path.ts'
import type { DatasetLayout } from '../release/layout.ts'
import type { Filter, Leaf } from './filter.ts'
import { compilePattern, isPattern } from './pattern.ts'
import type { Facet, Query, SortOrder } from './query.ts'

export type Layouts = Readonly<Record<DatasetName, DatasetLayout>>

/** What a step that touches every row costs beside one that touches a word of 32 of them. */
const WORD = 1 / 16

/** Finding one value among many. */
const LOOKUP = 20

/** Decoding a value and comparing it with a pattern. */
const DECODE = 20

/**
 * About how many elements answering a query visits, from the sizes of the release alone; about a
 * nanosecond each.
 */
export function costOf(query: Query, layouts: Layouts): number {
  const rows = layouts[query.dataset].rows
  const { cost, share } = filterCost(query, layouts)
  const facets = query.facets.reduce((sum, facet) => sum + facetCost(facet, query, layouts), 0)
  const sorted = query.sort.reduce((sum, order) => sum + sortCost(order, query, layouts), 0)
  const page = Math.min(query.size, share * rows)
  return Math.round(cost + (facets + sorted) * share + page)
}

/** Of one facet over all rows of the dataset. */
export function facetCost({ field }: Facet, { dataset }: Query, layouts: Layouts): number {
  const distinct = columnOf(field, layouts)?.distinct ?? 0
  return 2 * wayCost(field, dataset, layouts) + distinct
}

export function sortCost({ field }: SortOrder, { dataset }: Query, layouts: Layouts): number {
  return 4 * wayCost(field, dataset, layouts)
}

interface Estimate {
  readonly cost: number
  /** Part of the rows that pass, at most. */
  readonly share: number
}

export function filterCost({ dataset, filter }: Query, layouts: Layouts): Estimate {
  return filter ? nodeCost(filter, dataset, layouts) : { cost: 0, share: 1 }
}

function nodeCost(filter: Filter, dataset: DatasetName, layouts: Layouts): Estimate {
  if (filter.kind === 'leaf') return leafCost(filter, dataset, layouts)
  const parts = filter.parts.map((part) => nodeCost(part, dataset, layouts))
  if (filter.kind === 'or') {
    const share = parts.reduce((sum, part) => sum + part.share, 0)
    return { cost: parts.reduce((sum, { cost }) => sum + cost, 0), share: Math.min(1, share) }
  }
  // What is asked of few rows costs little more than going through the words of a set.
  const words = layouts[dataset].rows * WORD
  return parts
    .toSorted((one, other) => one.share - other.share)
    .reduce((all, { cost, share }) => ({
      cost: all.cost + Math.min(cost, words + cost * all.share),
      share: Math.min(all.share, share),
    }))
}

function leafCost({ field, op, values }: Leaf, dataset: DatasetName, layouts: Layouts): Estimate {
  const column = columnOf(field, layouts)
  const rows = layouts[dataset].rows
  if (!column || rows === 0) return { cost: rows * WORD, share: 1 }
  const decoded = values.filter(
    (value) => typeof value === 'string' && isPattern(value) && !compilePattern(value).isPrefix,
  )
  const finding = values.length * LOOKUP + decoded.length * column.distinct * DECODE
  const isDirect = column.identity && field.steps.length === 0
  if (isDirect && op === 'in' && decoded.length === 0) {
    return { cost: finding + rows * WORD, share: Math.min(1, values.length / rows) }
  }
  return { cost: finding + wayCost(field, dataset, layouts), share: 1 }
}

const columnOf = ({ column }: FieldPath, layouts: Layouts) =>
  layouts[column.dataset].columns[column.path]

/** All elements and rows along a field's way. */
function wayCost({ steps }: FieldPath, dataset: DatasetName, layouts: Layouts): number {
  return steps.reduce((sum, step) => sum + stepSize(step, layouts), layouts[dataset].rows)
}

function stepSize(step: Step, layouts: Layouts): number {
  if (step.kind === 'level') return layouts[step.dataset].levels[step.level]?.elements ?? 0
  return layouts[step.target].rows
}
