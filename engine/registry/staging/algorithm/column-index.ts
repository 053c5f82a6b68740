import type { CacheBudget } from './cache-budget.ts'
import { type BoundRange, boundRange, type CellRange, contains, parseCell } from './cell-ranges.ts'
import type { ContextValues, KeySlots } from './key-slots.ts'
import type { Cell } from './model.ts'
import { addRows, allRows, bitsText, noRows, type RowBits } from './row-bits.ts'
import { referencedKey } from './values.ts'

/** Row numbers are used instead of bit sets, because there may be as many distinct cells as rows. */
type RowList = number[]

interface RangeRows {
  readonly range: BoundRange
  readonly rows: RowList
}

/** A range with a bound that refers to a key of the context (registry.md rule 6). */
interface ReferringRange {
  readonly low: Bound
  readonly high: Bound
  readonly rows: RowList
}

interface Bound {
  readonly text: string
  /** Slot of the key that the bound refers to, or -1. */
  readonly slot: number
}

/** The class of a column that is not tested: all rows. */
export const NOT_ASKED = 0

/**
 * Inverted index of one INPUT column, from a value to the rows that accept it. Values that the same rows accept
 * form a class. Classes are numbered from 1, and matching uses only these numbers.
 */
export class ColumnIndex {
  readonly key: string
  readonly slot: number
  /** Slots that bounds refer to. */
  readonly references: readonly number[]
  readonly #rowCount: number
  readonly #cacheBudget: CacheBudget
  readonly #any: RowBits
  readonly #singles = new Map<string, RowList>()
  readonly #ranges: RangeRows[] = []
  readonly #referring: ReferringRange[] = []
  #resolved: RangeRows[] = []
  readonly #known = new Map<string, number>()
  readonly #classes: RowBits[] = []
  readonly #classOfRows = new Map<string, number>()

  constructor(
    key: string,
    cells: readonly (Cell | undefined)[],
    { keys, cacheBudget }: { readonly keys: KeySlots; readonly cacheBudget: CacheBudget },
  ) {
    this.key = key
    this.slot = keys.slotOf(key)
    this.#cacheBudget = cacheBudget
    this.#rowCount = cells.length
    this.#any = noRows(cells.length)
    this.#read(cells, keys)
    this.references = [
      ...new Set(this.#referring.flatMap(({ low, high }) => [low.slot, high.slot])),
    ].filter((slot) => slot >= 0)
    this.forget()
  }

  /** Returns the class of a value, with the bounds from the last call of `resolve`. */
  classOf(value: string): number {
    return this.#known.get(value) ?? this.#learn(value)
  }

  rowsOf(classNumber: number): RowBits {
    return this.#classes[classNumber] ?? this.#any
  }

  /** Takes the values of referring bounds from the context (registry.md rule 6). */
  resolve(values: ContextValues): void {
    const textOf = ({ text, slot }: Bound) => (slot < 0 ? text : (values[slot] ?? ''))
    this.#resolved = this.#referring.map(({ low, high, rows }) => ({
      range: boundRange(textOf(low), textOf(high)),
      rows,
    }))
    this.#known.clear()
  }

  /** Clears the cached classes of values. */
  forget(): void {
    this.#known.clear()
    this.#classOfRows.clear()
    this.#classes.length = 0
    this.#classes.push(allRows(this.#rowCount))
  }

  #learn(value: string): number {
    const rows = this.#any.slice()
    addRows(rows, this.#singles.get(value) ?? [])
    for (const { range, rows: more } of this.#ranges) {
      if (contains(range, value)) addRows(rows, more)
    }
    for (const { range, rows: more } of this.#resolved) {
      if (contains(range, value)) addRows(rows, more)
    }
    const classNumber = this.#numberOf(rows)
    if (this.#cacheBudget.mayKeep(value)) this.#known.set(value, classNumber)
    return classNumber
  }

  #numberOf(rows: RowBits): number {
    const text = bitsText(rows)
    let classNumber = this.#classOfRows.get(text)
    if (classNumber === undefined) {
      classNumber = this.#classes.length
      this.#classes.push(rows)
      this.#classOfRows.set(text, classNumber)
      this.#cacheBudget.spend(rows.length)
    }
    return classNumber
  }

  /** Cells often repeat in rows, and ranges in cells, so each is stored once. */
  #read(cells: readonly (Cell | undefined)[], keys: KeySlots): void {
    const rowsOfCell = Map.groupBy(cells.keys(), (row) => cells[row])
    const rowsOfRange = new Map<string, RowList>()
    for (const [cell, rows] of rowsOfCell) {
      const ranges = parseCell(cell)
      if (ranges === 'any') {
        addRows(this.#any, rows)
        continue
      }
      for (const range of ranges) {
        const list = this.#listOf(range, rowsOfRange, keys)
        for (const row of rows) list.push(row)
      }
    }
  }

  #listOf({ low, high }: CellRange, rowsOfRange: Map<string, RowList>, keys: KeySlots): RowList {
    const lowKey = referencedKey(low)
    const highKey = referencedKey(high)
    const isPlain = lowKey === undefined && highKey === undefined
    const isSingle = isPlain && low === high
    // Commas separate ranges in a cell, so no bound contains a comma.
    const text = `${low},${high}`
    const known = isSingle ? this.#singles.get(low) : rowsOfRange.get(text)
    if (known) return known
    const rows: RowList = []
    if (isSingle) {
      this.#singles.set(low, rows)
      return rows
    }
    rowsOfRange.set(text, rows)
    if (isPlain) this.#ranges.push({ range: boundRange(low, high), rows })
    else {
      const bound = (written: string, key: string | undefined): Bound => ({
        text: written,
        slot: key === undefined ? -1 : keys.slotOf(key),
      })
      this.#referring.push({ low: bound(low, lowKey), high: bound(high, highKey), rows })
    }
    return rows
  }
}
