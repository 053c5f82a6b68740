import {
  type Bits,
  countBits,
  fullBits,
  intersect,
  invert,
  isEmpty,
  newBits,
  unite,
} from '../../shared/arrays/bitset.ts'
import type { TableName } from '../datasets/define.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import type { Filter } from './filter-tree.ts'
import type { JoinPath } from './join-path.ts'
import { Planner, type Term, type Test, type Unit } from './plan.ts'
import { image, preimage } from './relation.ts'
import { scan } from './scan.ts'
import type { Selection } from './selection.ts'
import { normalise, withoutChoices } from './shape.ts'

/** When fewer than one in so many is left, what they lead to is sought first and only that tested. */
const SPARSE = 64

/**
 * The rows that pass a filter, and the rows that each facet counts: for the facet of a field the
 * filter without its own choices (data-commons.md 3.4). What filters have in common is evaluated once.
 */
export function selectRows(
  table: TableName,
  filter: Filter | undefined,
  facetFields: readonly string[],
  arrays: ReleaseArrays,
): { readonly rows: Selection; readonly facets: readonly Selection[] } {
  const size = arrays.rows(table)
  const everything: Selection = { size, count: size }
  if (!filter) return { rows: everything, facets: facetFields.map(() => everything) }

  const whole = normalise(filter)
  const planner = new Planner(table, arrays)
  const filters = [whole, ...facetFields.map((field) => withoutChoices(whole, field))]
  const plans = new Map([...new Set(filters)].map((one) => [one, planner.plan(one)]))
  const keySets = [...plans.values()].map((units) => new Set(units.map(({ key }) => key)))
  const isShared = ({ key }: Unit) => keySets.every((keys) => keys.has(key))
  const common = (plans.get(whole) ?? []).filter(isShared)
  const within = passing(common, size)

  const known = new Map<string, Bits>()
  const selections = new Map(
    [...plans].map(([one, units]) => {
      const own = units.filter((unit) => !isShared(unit))
      const bits = joint(own, size, within, known)
      return [one, bits ? { size, count: countBits(bits), bits } : everything]
    }),
  )
  const [rows = everything, ...facets] = filters.map((one) => selections.get(one) ?? everything)
  return { rows, facets }
}

/** Those that pass all units, each evaluated once however often it is asked for. */
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

/** Those, of `within`, that pass all units; `undefined` is all of them. */
function passing(units: readonly Unit[], size: number, within?: Bits): Bits | undefined {
  let left = within
  for (const unit of units) {
    const found = passingOne(unit, size, left)
    left = left ? intersect(found, left) : found
    if (isEmpty(left)) break
  }
  return left
}

/** Those that pass one unit; what is not in `within` may be among them. The set is the caller's. */
function passingOne(unit: Unit, size: number, within?: Bits): Bits {
  if (unit.kind === 'or') {
    return unit.parts.reduce((found, part) => {
      const more = passing(part, size, within)
      return more ? unite(found, more) : found
    }, newBits(size))
  }
  if (unit.kind === 'test') return passingTest(unit, size, within)
  const { joinPath, units } = unit
  if (!joinPath) return newBits(size)
  const reached = reachedBy(joinPath, size, within)
  const found = passing(units, joinPath.size, reached) ?? fullBits(joinPath.size)
  return preimage(joinPath, size, found, within)
}

function passingTest(test: Test, size: number, within?: Bits): Bits {
  const { joinPath, anyOf, negative } = test
  const lists = anyOf.filter((terms) => terms.every(({ codes }) => codes.length > 0))
  if (!joinPath || lists.length === 0) return negative ? fullBits(size) : newBits(size)
  const reached = reachedBy(joinPath, size, within)
  const found = lists
    .map((terms) => satisfying(terms, joinPath.size, reached))
    .reduce((all, some) => unite(all, some))
  const having = preimage(joinPath, size, found, within)
  return negative ? invert(having, size) : having
}

/** Elements that satisfy all terms; what is not in `within` may be among them. The set is the caller's. */
function satisfying(terms: readonly Term[], size: number, within: Bits | undefined): Bits {
  let left: Bits | undefined
  for (const { column, codes } of terms) {
    if (!column) return newBits(size)
    const found = scan(column, codes, size, left ?? within)
    left = left ? intersect(found, left) : found
  }
  return left ?? newBits(size)
}

/** What few rows lead to; `undefined` when it is not worth while to find out. */
function reachedBy(joinPath: JoinPath, size: number, within: Bits | undefined): Bits | undefined {
  if (!within || joinPath.moves.length === 0) return within
  return countBits(within) * SPARSE < size ? image(joinPath, within) : undefined
}
