import type { AssociationName, DatasetName, TableName } from '../datasets/define.ts'
import type { FieldPath, Step } from '../datasets/field-path.ts'
import type { DatasetLayout, ReleaseManifest } from '../release/layout.ts'
import { MAX_INTERVALS } from './intervals.ts'

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

/** Writing a bucket for a value. */
export const BUCKET = 300

/** Counting an element of the dataset's own, and one that is reached through a link. */
export const OWN = 0.7
export const LINKED = 1.5

/** Following one of a list, on the way of one row, and passing over one on the way of all rows. */
const WALKED = 25
const PASSED = 2

/** The records that a facet counts. */
export interface CountedRecords {
  readonly dataset: DatasetName
  /** The part of the dataset's records that is counted, at most. */
  readonly share: number
  /** Whether all records are counted, without a filter. */
  readonly isAll: boolean
}

/** The cost of counting a field by intervals: each value and each element is given its interval first. */
export function intervalsCost(field: FieldPath, counted: CountedRecords, layouts: Layouts): number {
  const column = columnOf(field, layouts)
  if (!column) return 0
  const { dataset, path } = field.column
  const elements = layouts[dataset].levels[column.level]?.elements ?? layouts[dataset].rows
  const intervals = { ...column, distinct: Math.min(column.distinct, MAX_INTERVALS) }
  const columns = { ...layouts[dataset].columns, [path]: intervals }
  const cut = { ...layouts, [dataset]: { ...layouts[dataset], columns } }
  return column.distinct + elements + valuesCost(field, { ...counted, isAll: false }, cut)
}

/** The cost of counting the values of a field. */
export function valuesCost(
  field: FieldPath,
  { dataset, share, isAll }: CountedRecords,
  layouts: Layouts,
): number {
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

/** `undefined`: no record has the field. */
export const columnOf = ({ column }: FieldPath, layouts: Layouts) =>
  layouts[column.dataset].columns[column.path]

/** All elements and rows along a field's way. */
export function joinCost({ steps }: FieldPath, table: TableName, layouts: Layouts): number {
  return steps.reduce((sum, step) => sum + stepSize(step, layouts), rowsOf(table, layouts))
}

export function stepSize(step: Step, layouts: Layouts): number {
  if (step.kind === 'level') return layouts[step.dataset]?.levels[step.level]?.elements ?? 0
  return rowsOf(step.target, layouts)
}

/** Loading the arrays says that a release lacks a table; its size is asked before. */
export const rowsOf = (table: TableName, layouts: Layouts) => layouts[table]?.rows ?? 0
