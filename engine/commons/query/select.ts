import {
  type Bits,
  countBits,
  fullBits,
  intersect,
  invert,
  isEmpty,
  newBits,
  setBit,
  unite,
} from '../../shared/arrays/bitset.ts'
import type { TableName } from '../datasets/define.ts'
import type { Step } from '../datasets/field-path.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import type { Filter } from './filter-tree.ts'
import { type JoinPath, joinPathOf } from './join-path.ts'
import type { Joins } from './joined.ts'
import { countOf, listRows } from './listing.ts'
import { type Numbered, Planner, type Term, type Test, type Unit } from './plan.ts'
import { image, preimage } from './relation.ts'
import { scan, scanNumbers } from './scan.ts'
import { lazySelection, listedSelection, type Selection } from './selection.ts'
import { normalise, withoutChoices } from './shape.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** If fewer than one row in this many remains, only elements that the remaining rows lead to are tested. */
const SPARSE = 64

/**
 * Selects the rows that match a filter, and the rows that each facet counts. A facet ignores conditions on its
 * own field (data-commons.md 3.4). Parts that these filters have in common are evaluated once.
 * @param facets field of each facet; undefined means that the whole filter applies
 */
export function selectRows(
  table: TableName,
  filter: Filter | undefined,
  facetFields: readonly (string | undefined)[],
  arrays: ReleaseArrays,
): Selected {
  return selectPlanned(planRows({ dataset: table, filter }, facetFields, arrays))
}

interface Selected {
  readonly rows: Selection
  /** Rows that each facet counts. */
  readonly facets: readonly Selection[]
}

/** Plan for selecting rows. Valid only as long as the arrays that it refers to. */
export interface RowPlan {
  readonly size: number
  /** The filter, followed by the filter of each facet. Undefined matches all rows. */
  readonly filters: readonly (Filter | undefined)[]
  readonly plans: ReadonlyMap<Filter | undefined, readonly Unit[]>
}

/** Plans which rows a query selects and which rows each facet counts. Facets ignore conditions on their own field. */
export function planRows(
  { dataset: table, filter }: { readonly dataset: TableName; readonly filter?: Filter | undefined },
  facetFields: readonly (string | undefined)[],
  arrays: ReleaseArrays,
  joins?: Joins,
): RowPlan {
  const size = arrays.rows(table)
  if (!filter) return { size, filters: [undefined], plans: new Map() }
  const whole = normalise(filter)
  const planner = new Planner(table, arrays, joins)
  const filters = [whole, ...facetFields.map((field) => seenBy(field, whole))]
  const plans = new Map([...new Set(filters)].map((one) => [one, planner.plan(one)]))
  return { size, filters, plans }
}

const seenBy = (field: string | undefined, filter: Filter) =>
  field === undefined ? filter : withoutChoices(filter, field)

/** Evaluates the conditions of a plan to selections of rows. */
export function selectPlanned({ size, filters, plans }: RowPlan): Selected {
  const everything: Selection = { size, count: size }
  const selections = new Map<Filter | undefined, Selection>()
  const scanned = new Map<Filter | undefined, readonly Unit[]>()
  for (const [one, units] of plans) {
    const known = knownSelection(units, size)
    if (known) selections.set(one, known)
    else scanned.set(one, units)
  }
  selectScanned(scanned, size, selections)
  const [rows = everything, ...facets] = filters.map((one) => selections.get(one) ?? everything)
  return { rows, facets }
}

/**
 * Returns the elements of a table's rows that match a filter, testing each element by itself. The path of each
 * condition must begin with the steps to these elements.
 */
export function selectElements(
  table: TableName,
  steps: readonly Step[],
  filter: Filter,
  arrays: ReleaseArrays,
): Bits {
  const size = joinPathOf(steps, arrays.rows(table), arrays)?.size ?? 0
  const base = { steps: steps.length, size }
  const units = new Planner(table, arrays).planElements(normalise(filter), base)
  return passing(units, size) ?? fullBits(size)
}

/** Returns the selection if it is known without a scan, otherwise undefined. */
function knownSelection(units: readonly Unit[], size: number): Selection | undefined {
  const [only, other] = units
  if (!only) return { size, count: size }
  const listed = listRows(units, size)
  if (listed) return listedSelection(size, listed)
  const count = other ? undefined : countOf(only, size)
  return count === undefined ? undefined : lazySelection(size, count, () => passingOne(only, size))
}

/** Evaluates filters. A unit that occurs in several filters is evaluated once. */
function selectScanned(
  plans: ReadonlyMap<Filter | undefined, readonly Unit[]>,
  size: number,
  selections: Map<Filter | undefined, Selection>,
): void {
  const [whole] = plans.values()
  if (!whole) return
  const keySets = [...plans.values()].map((units) => new Set(units.map(({ key }) => key)))
  const isShared = ({ key }: Unit) => keySets.every((keys) => keys.has(key))
  const within = passing(whole.filter(isShared), size)
  const known = new Map<string, Bits>()
  for (const [one, units] of plans) {
    const own = units.filter((unit) => !isShared(unit))
    const bits = joint(own, size, within, known)
    selections.set(one, bits ? { size, count: countBits(bits), bits } : { size, count: size })
  }
}

/** Returns the rows that match all units, using cached results of units. */
function joint(
  units: readonly Unit[],
  size: number,
  within: Bits | undefined,
  known: Map<string, Bits>,
): Bits | undefined {
  let left = within
  for (const unit of units) {
    const bits = known.get(unit.key) ?? passingOne(unit, size, within)
    known.set(unit.key, bits)
    left = left ? intersect(bits.slice(), left) : bits
  }
  return left
}

/** Returns the rows of `within`, by default all rows, that match all units. Undefined means all rows. */
function passing(units: readonly Unit[], size: number, within?: Bits): Bits | undefined {
  let left = within
  for (const unit of units) {
    const found = passingOne(unit, size, left)
    left = left ? intersect(found, left) : found
    if (isEmpty(left)) break
  }
  return left
}

/** Returns the rows that match one unit. May include rows outside of `within`. The caller may modify the bitmap. */
function passingOne(unit: Unit, size: number, within?: Bits): Bits {
  if (unit.kind === 'or') {
    return unit.parts.reduce((found, part) => {
      const more = passing(part, size, within)
      return more ? unite(found, more) : found
    }, newBits(size))
  }
  if (unit.kind === 'numbered') return passingNumbered(unit, size, within)
  if (unit.kind === 'test') return passingTest(unit, size, within)
  const { joinPath, units } = unit
  if (!joinPath) return newBits(size)
  const reached = reachedBy(joinPath, size, within)
  const found = passing(units, joinPath.size, reached) ?? fullBits(joinPath.size)
  return preimage(joinPath, size, found, within)
}

/** Cost of marking one row from a sorted order, relative to scanning one row. */
const SCATTERED = 4

function passingNumbered({ joined, passing, count }: Numbered, size: number, within?: Bits): Bits {
  const { numbers, order, starts } = joined
  if (numbers && count * SCATTERED > size) return scanNumbers(numbers, passing, within)
  const found = newBits(size)
  for (let number = 0; number < passing.length; number++) {
    if (passing[number] === 0) continue
    const end = starts[number + 1]!
    for (let i = starts[number]!; i < end; i++) setBit(found, order[i]!)
  }
  return found
}

function passingTest(test: Test, size: number, within?: Bits): Bits {
  const { joinPath, anyOf, negative } = test
  const lists = anyOf.filter((terms) => terms.every(isSatisfiable))
  if (!joinPath || lists.length === 0) return negative ? fullBits(size) : newBits(size)
  const reached = reachedBy(joinPath, size, within)
  const found = lists
    .map((terms) => satisfying(terms, joinPath.size, reached))
    .reduce((all, some) => unite(all, some))
  const having = preimage(joinPath, size, found, within)
  return negative ? invert(having, size) : having
}

const isSatisfiable = ({ codes, members }: Term): boolean =>
  members ? members.count > 0 : codes.length > 0

/** Returns the elements that satisfy all terms, maybe with some outside of `within`. The caller may modify them. */
function satisfying(terms: readonly Term[], size: number, within: Bits | undefined): Bits {
  let left: Bits | undefined
  for (const { column, codes, members } of terms) {
    if (!column) return newBits(size)
    const found = members ? members.bits.slice() : scan(column, codes, size, left ?? within)
    left = left ? intersect(found, left) : found
  }
  return left ?? newBits(size)
}

/** Returns the elements that the remaining rows lead to, or undefined if testing all elements is faster. */
function reachedBy(joinPath: JoinPath, size: number, within: Bits | undefined): Bits | undefined {
  if (!within || joinPath.moves.length === 0) return within
  return countBits(within) * SPARSE < size ? image(joinPath, within) : undefined
}
