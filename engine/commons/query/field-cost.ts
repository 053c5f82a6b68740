import type { AssociationName, DatasetName, TableName } from '../datasets/define.ts'
import type { FieldPath, Step } from '../datasets/field-path.ts'
import type { DatasetLayout, ReleaseManifest } from '../release/layout.ts'
import { MAX_INTERVALS } from './intervals.ts'

export type Layouts = Readonly<
  Record<DatasetName, DatasetLayout> & Partial<Record<AssociationName, DatasetLayout>>
>

/** Returns the layouts of all tables of a release, from its manifest. */
export const layoutsOf = ({ datasets, associations }: ReleaseManifest): Layouts => ({
  ...datasets,
  ...associations,
})

/** Cost per row of reading a bitmap word by word, relative to visiting the row itself. */
export const WORD = 1 / 16

/** Cost of writing the bucket of one value. */
export const BUCKET = 300

/** Cost of counting an element of the dataset itself. LINKED is the cost for an element of a linked record. */
export const OWN = 0.7
export const LINKED = 1.5

/** Cost of following a list item for one row. PASSED is the cost of skipping a list item in a pass over all rows. */
const WALKED = 25
const PASSED = 2

/** Number and share of the records that a facet counts. */
export interface CountedRecords {
  readonly dataset: DatasetName
  /** Upper bound of the fraction of the dataset's records that are counted. */
  readonly share: number
  /** Whether all records are counted, because there is no filter. */
  readonly isAll: boolean
}

/** Returns the cost of counting a field by intervals, including that of mapping values to intervals. */
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

/** Returns the cost of counting the values of a field. */
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
  // The path is followed either for each row, or once per value for all rows (value-tally.ts).
  const walking = WALKED * walkedSize(field, dataset, layouts) * share
  return Math.min(walking, PASSED * (column.distinct + 2) * joinPath) + buckets
}

/**
 * Estimates how many elements are reached if the path is followed for each row, counting shared records
 * repeatedly. Records that the rows link to directly are counted once (target-tally.ts).
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

/** Returns the average number of elements or records that a step reaches from one element. */
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

export const columnOf = ({ column }: FieldPath, layouts: Layouts) =>
  layouts[column.dataset].columns[column.path]

/** Returns the total number of elements and rows on the path of a field. */
export function joinCost({ steps }: FieldPath, table: TableName, layouts: Layouts): number {
  return steps.reduce((sum, step) => sum + stepSize(step, layouts), rowsOf(table, layouts))
}

/** Returns the number of elements or records that a step of a field path leads to. */
export function stepSize(step: Step, layouts: Layouts): number {
  if (step.kind === 'level') return layouts[step.dataset]?.levels[step.level]?.elements ?? 0
  return rowsOf(step.target, layouts)
}

/** Returns the number of rows of a table, 0 if the release lacks it. Loading its arrays throws the error then. */
export const rowsOf = (table: TableName, layouts: Layouts) => layouts[table]?.rows ?? 0
