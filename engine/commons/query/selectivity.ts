import type { FieldPath } from '../datasets/field-path.ts'
import { costsOf } from './cost.ts'
import type { QueryPlan } from './evaluate.ts'
import { kindOf } from './facet-kinds.ts'
import { BUCKET, columnOf, type Layouts, LINKED, OWN, WORD } from './field-cost.ts'
import type { JoinPath } from './join-path.ts'
import { LISTED, listedCount } from './listing.ts'
import type { Unit } from './plan.ts'

/** Cost per element of mapping a bitmap to parents word by word. */
const FOLDED = 1 / 4

/** Cost of listing a row by its code, and of testing it for another condition. */
const LISTING = 2

/**
 * Estimates the cost of a query in nanoseconds from its plan. If the most selective condition leaves few
 * records, only these are tested for the other conditions. The result is never above the estimate that is based
 * on sizes alone.
 */
export function plannedCost(plan: QueryPlan, layouts: Layouts): number {
  const { query, size, filters, plans, facets } = plan
  const costs = costsOf({ ...query, facets }, layouts)
  const filter = [...plans.values()].reduce((sum, units) => sum + conjunctionCost(units, size), 0)
  const counted = facets.map(({ field, counts }, i) => {
    const most = costs.facets[i]!
    const isCheaper = counts.every((count) => kindOf(count).isCheaperForFewRows)
    if (!isCheaper || !isReadByRow(field, plan, layouts)) return most
    const units = plans.get(filters[i + 1])
    if (!units) return most
    const rows = size * shareOf(units)
    const buckets = Math.min(columnOf(field, layouts)?.distinct ?? 0, rows) * BUCKET
    // If there are few rows, they are listed. Otherwise their bitmap is read word by word.
    const words = rows * LISTED > size ? size * WORD : 0
    return Math.min(most, words + OWN * rows + buckets)
  })
  return counted.reduce((sum, cost) => sum + cost, Math.min(filter, costs.filter) + costs.page)
}

/** Returns whether counting a facet takes one step per counted row. */
function isReadByRow({ path, steps, column }: FieldPath, { joins }: QueryPlan, layouts: Layouts) {
  const layout = layouts[column.dataset].columns[column.path]
  return joins?.get(path)?.numbers !== undefined || (steps.length === 0 && !layout?.multi)
}

const shareOf = (units: readonly Unit[]): number =>
  units.reduce((least, { share }) => Math.min(least, share), 1)

/** Returns the cost of units that must all match, given most selective first. */
function conjunctionCost(units: readonly Unit[], size: number): number {
  const listed = listedCount(units, size)
  // Rows that are listed are marked in a bitmap, which is read word by word.
  if (listed !== undefined) return size * WORD + units.length * LISTING * listed
  let left = 1
  let cost = 0
  for (const unit of units) {
    cost += Math.min(unitCost(unit, size), size * WORD + unitCost(unit, size) * left)
    left = Math.min(left, unit.share)
  }
  return cost
}

function unitCost(unit: Unit, size: number): number {
  switch (unit.kind) {
    case 'numbered':
      return Math.min(OWN * size, size * WORD + 2 * unit.count)
    case 'or':
      return unit.parts.reduce((sum, units) => sum + conjunctionCost(units, size), 0)
    case 'scope': {
      const end = unit.joinPath?.size ?? 0
      return pathCost(unit.joinPath, size) + conjunctionCost(unit.units, end)
    }
    case 'test': {
      const end = unit.joinPath?.size ?? 0
      const terms = unit.anyOf.flat()
      const scanned = terms.reduce(
        (sum, { column, members }) =>
          sum + (members || column?.bitmaps ? WORD : column?.offsets ? LINKED : OWN) * end,
        0,
      )
      return pathCost(unit.joinPath, size) + scanned
    }
  }
}

function pathCost(joinPath: JoinPath | undefined, size: number): number {
  let from = size
  return (joinPath?.moves ?? []).reduce((sum, move) => {
    const elements = Math.max(from, move.size)
    from = move.size
    return sum + elements * (move.kind === 'level' && move.irregular ? FOLDED : LINKED)
  }, 0)
}
