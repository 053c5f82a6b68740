import type { Codes } from '../release/layout.ts'
import { type Column, countsOf } from '../release/loaded.ts'
import { type CodeSet, sizeOf, tableOf } from './codes.ts'
import type { Numbered, Test, Unit } from './plan.ts'
import { placeOf } from './scan.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Rows are listed if at most one in this many matches: visiting a row costs several bitmap words. */
export const LISTED = 16

/** Maximum number of codes for which rows are tested with a table by code. For more codes, bitmaps are used. */
const MAX_TABLE = 1 << 16

/**
 * Lists the rows that match all units of a plan, in any order. One unit must match few rows that can be looked
 * up by code; the other units are tested on these rows only. Returns undefined if all rows have to be scanned.
 */
export function listRows(units: readonly Unit[], size: number): Uint32Array | undefined {
  const { first, others } = listedFrom(units, size) ?? {}
  const rows = first && listOf(first)
  return rows && others?.reduce(filterRows, rows)
}

/** Returns the number of rows that `listRows` tests, or undefined if all rows have to be scanned. */
export const listedCount = (units: readonly Unit[], size: number): number | undefined =>
  listedFrom(units, size)?.count

interface Listed {
  /** The unit whose rows are listed. */
  readonly first: Listable
  readonly count: number
  readonly others: readonly Unit[]
}

function listedFrom(units: readonly Unit[], size: number): Listed | undefined {
  const counts = units.map((unit) => (isListable(unit) ? (countOf(unit, size) ?? size) : size))
  const fewest = Math.min(...counts)
  if (fewest * LISTED > size) return undefined
  const first = units[counts.indexOf(fewest)]
  const others = units.filter((unit) => unit !== first)
  if (!first || !isListable(first) || !others.every(isAskable)) return undefined
  return { first, count: fewest, others }
}

/** Returns the number of rows that match a unit of a plan, or undefined if they would have to be searched. */
export function countOf(unit: Unit, size: number): number | undefined {
  if (unit.kind === 'numbered') return unit.count
  const term = ownTerm(unit)
  if (!term) return undefined
  const { column, codes } = term
  const found = countCoded(column, codes)
  return found !== undefined && term.negative ? size - found : found
}

/** Maximum number of codes whose counts are looked up one by one. */
const MAX_COUNTED = 4096

function countCoded(column: Column, codes: CodeSet): number | undefined {
  if (column.layout.identity) return sizeOf(codes)
  const extents = extentsIn(column, codes)
  if (extents) return sizeOf(extents)
  if (sizeOf(codes) > MAX_COUNTED) return undefined
  const counts = countsOf(column)
  let total = 0
  for (let i = 0; i < codes.length; i += 2) {
    for (let code = codes[i]!; code < codes[i + 1]!; code++) total += counts[code]!
  }
  return total
}

/** Returns the ranges of a column's sorted order that hold these codes. Undefined without an order. */
const extentsIn = ({ codes, order }: Column, wanted: CodeSet): CodeSet | undefined =>
  codes && order && wanted.map((code) => placeOf(code, order, codes))

interface OwnTerm {
  readonly column: Column
  readonly codes: CodeSet
  readonly negative: boolean
}

/** Returns a unit's condition if it is on a single-valued field of the rows themselves. */
function ownTerm(unit: Unit): OwnTerm | undefined {
  if (unit.kind !== 'test' || !unit.joinPath || unit.joinPath.moves.length > 0) return undefined
  const [terms, more] = unit.anyOf
  const [term, another] = terms ?? []
  if (!term?.column || term.members || more || another || term.column.offsets) return undefined
  return { column: term.column, codes: term.codes, negative: unit.negative }
}

type Listable = Numbered | Test

/** Returns whether the rows that match a unit can be found without a scan. */
function isListable(unit: Unit): unit is Listable {
  if (unit.kind === 'numbered') return true
  const term = ownTerm(unit)
  return !!term && !term.negative && !!(term.column.layout.identity || term.column.order)
}

function isAskable(unit: Unit): boolean {
  if (unit.kind === 'numbered') return true
  const term = ownTerm(unit)
  if (!term) return false
  const { codes, layout } = term.column
  const isRange = term.codes.length === 2 && !term.negative
  return !!codes && (isRange || layout.distinct <= MAX_TABLE)
}

/** Returns the rows that match a unit, from ranges of the column's sorted order. */
function listOf(unit: Listable): Uint32Array | undefined {
  if (unit.kind === 'numbered') {
    const { order, starts } = unit.joined
    const extents: number[] = []
    for (let number = 0; number < unit.passing.length; number++) {
      if (unit.passing[number] === 1) extents.push(starts[number]!, starts[number + 1]!)
    }
    return extentsOf(order, extents, unit.count)
  }
  const term = ownTerm(unit)
  if (!term) return undefined
  const { order, layout } = term.column
  if (layout.identity) return rowsWithCodes(term.codes)
  const extents = extentsIn(term.column, term.codes)
  return order && extents && extentsOf(order, extents, sizeOf(extents))
}

function extentsOf(order: Uint32Array, extents: CodeSet, count: number): Uint32Array {
  if (extents.length === 2) return order.subarray(extents[0], extents[1])
  const rows = new Uint32Array(count)
  for (let i = 0, filled = 0; i < extents.length; i += 2) {
    rows.set(order.subarray(extents[i], extents[i + 1]), filled)
    filled += extents[i + 1]! - extents[i]!
  }
  return rows
}

/** Returns the rows with these codes of an id column, in which the code is the row plus one. */
function rowsWithCodes(codes: CodeSet): Uint32Array {
  const rows = new Uint32Array(sizeOf(codes))
  for (let i = 0, filled = 0; i < codes.length; i += 2) {
    for (let code = codes[i]!; code < codes[i + 1]!; code++) rows[filled++] = code - 1
  }
  return rows
}

function filterRows(rows: Uint32Array, unit: Unit): Uint32Array {
  if (unit.kind === 'numbered') {
    const { numbers } = unit.joined
    return numbers ? withCodes(rows, numbers, unit.passing, 1) : rows
  }
  const term = ownTerm(unit)
  if (!term?.column.codes) return rows
  const { column, codes: wanted, negative } = term
  if (wanted.length === 2 && !negative) {
    return withRange(rows, term.column.codes, wanted[0]!, wanted[1]!)
  }
  const table = tableOf(wanted, column.layout.distinct)
  return withCodes(rows, term.column.codes, table, negative ? 0 : 1)
}

// This loop has no branches, because matches are unpredictable.

function withCodes(rows: Uint32Array, codes: Codes, table: Uint8Array, sought: 0 | 1): Uint32Array {
  const found = new Uint32Array(rows.length)
  let filled = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    found[filled] = row
    filled += 1 - ((table[codes[row]!] as number) ^ sought)
  }
  return found.subarray(0, filled)
}

/** Returns the rows whose code is in a range, `to` exclusive. */
function withRange(rows: Uint32Array, codes: Codes, from: number, to: number): Uint32Array {
  const found = new Uint32Array(rows.length)
  let filled = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const code = codes[row]!
    found[filled] = row
    filled += (~((code - from) | (to - 1 - code)) >>> 31) & 1
  }
  return found.subarray(0, filled)
}
