import type { CacheBudget } from './cache-budget.ts'
import { ColumnIndex, NOT_ASKED } from './column-index.ts'
import { type EndpointCell, parseEndpoint } from './endpoint.ts'
import type { ContextValues, KeySlots } from './key-slots.ts'
import type { Cell, StagingTable } from './model.ts'
import { allRows, bitsText, commonRows, firstRow, type RowBits } from './row-bits.ts'
import { referencedKey } from './values.ts'

/** State shared by the compiled tables of a version. */
interface TableSurroundings {
  readonly keys: KeySlots
  /** Budget for the caches of tables. When it is spent, its generation changes and the caches are cleared. */
  readonly cacheBudget: CacheBudget
}

/** The rows that remain after testing the first columns. */
interface Step {
  readonly rows: RowBits
  /** The first of the remaining rows, or -1. */
  readonly first: number
  /** Next steps, by the class of the value in the next column. Values of a class are accepted by the same rows. */
  readonly next: (Step | undefined)[]
}

/** An ENDPOINT column. Each row has the index of one of its distinct cells. */
interface EndpointColumn {
  readonly key: string
  readonly cellOfRow: Uint32Array
  readonly cells: readonly Endpoint[]
}

/** An endpoint with a fixed text, or the value of a key if `slot` is not -1 (registry.md rule 13). */
type Endpoint = EndpointCell & { readonly slot: number }

/**
 * A table compiled for matching (registry.md rule 9). The class of a column's value determines which of the
 * remaining rows are left. This transition between two sets of rows is cached as a step, so that a case takes
 * one lookup per column. Steps with the same remaining rows are shared.
 */
export class TableIndex {
  readonly table: StagingTable
  readonly columns: readonly ColumnIndex[]
  readonly endpointKeys: readonly string[]
  readonly #surroundings: TableSurroundings
  /** Slots of the keys that bounds in INPUT cells refer to. */
  readonly #references: readonly number[]
  /** Values of the referenced slots for which the columns are currently resolved. */
  #referred: ContextValues = []
  #isResolved = false
  /** The INPUT column, if the table has only one, as most tables do. Its value directly determines the row. */
  readonly #only: ColumnIndex | undefined
  /** Matching row for each cached value of the only INPUT column. */
  readonly #rowOfValue = new Map<string, number>()
  /** Caches of an earlier generation of the budget are cleared. */
  #generation: number
  #start: Step
  #steps: Map<string, Step>[] = []
  #endpoints: readonly EndpointColumn[] | undefined

  constructor(table: StagingTable, surroundings: TableSurroundings) {
    this.table = table
    this.#surroundings = surroundings
    const { definition, rows } = table
    this.columns = definition.flatMap(({ key = '', type }, column) => {
      if (type !== 'INPUT') return []
      return [
        new ColumnIndex(
          key,
          rows.map((cells) => cells[column]),
          surroundings,
        ),
      ]
    })
    this.endpointKeys = definition
      .filter(({ type }) => type === 'ENDPOINT')
      .map(({ key = '' }) => key)
    this.#only = this.columns.length === 1 ? this.columns[0] : undefined
    this.#references = [...new Set(this.columns.flatMap(({ references }) => references))]
    this.#generation = surroundings.cacheBudget.generation
    this.#start = this.#freshStart()
  }

  /** Whether bounds in INPUT cells refer to keys of the context (registry.md rule 6). */
  get refers(): boolean {
    return this.#references.length > 0
  }

  /** Returns the first row that matches the context, or -1. */
  match(values: ContextValues): number {
    this.#prepare(values)
    const { columns } = this
    if (this.#only) {
      const value = values[this.#only.slot] ?? ''
      return this.#rowOfValue.get(value) ?? this.#learnRow(this.#only, value)
    }
    let step = this.#start
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i] as ColumnIndex
      const classNumber = column.classOf(values[column.slot] ?? '')
      step = step.next[classNumber] ?? this.#goOn(step, i, classNumber)
    }
    return step.first
  }

  /**
   * Returns the first row that matches in those INPUT columns whose key is given, or -1. The other columns
   * are not tested (registry.md rule 16).
   * @param given returns the value of a key, or undefined if its columns are not tested
   * @param values context from which bounds in cells that refer to keys take their values
   */
  matchGiven(given: (key: string) => string | undefined, values: ContextValues): number {
    this.#prepare(values)
    const { columns } = this
    let step = this.#start
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i] as ColumnIndex
      const value = given(column.key)
      const classNumber = value === undefined ? NOT_ASKED : column.classOf(value)
      step = step.next[classNumber] ?? this.#goOn(step, i, classNumber)
    }
    return step.first
  }

  /**
   * The ENDPOINT columns, in order.
   * @throws EngineError `bad_input` for an invalid endpoint
   */
  get endpoints(): readonly EndpointColumn[] {
    this.#endpoints ??= readEndpoints(this.table, this.#surroundings.keys)
    return this.#endpoints
  }

  /** Clears the caches if their budget was spent, and takes the values of the bounds that refer to keys. */
  #prepare(values: ContextValues): void {
    if (this.#generation !== this.#surroundings.cacheBudget.generation) this.#forget()
    if (this.#references.length > 0) this.#resolve(values)
  }

  #resolve(values: ContextValues): void {
    const references = this.#references
    if (this.#isResolved) {
      let i = 0
      while (i < references.length && this.#referred[i] === values[references[i] ?? 0]) i++
      if (i === references.length) return
    }
    this.#rowOfValue.clear()
    this.#referred = references.map((slot) => values[slot])
    this.#isResolved = true
    for (const column of this.columns) {
      if (column.references.length > 0) column.resolve(values)
    }
  }

  #learnRow(column: ColumnIndex, value: string): number {
    const classNumber = column.classOf(value)
    const { first } = this.#start.next[classNumber] ?? this.#goOn(this.#start, 0, classNumber)
    if (this.#surroundings.cacheBudget.mayKeep(value)) this.#rowOfValue.set(value, first)
    return first
  }

  #goOn({ rows, next }: Step, depth: number, classNumber: number): Step {
    const left = commonRows(rows, this.columns[depth]?.rowsOf(classNumber) ?? rows)
    this.#steps[depth] ??= new Map()
    const steps = this.#steps[depth]
    const text = bitsText(left)
    let step = steps.get(text)
    if (!step) {
      step = { rows: left, first: firstRow(left), next: [] }
      steps.set(text, step)
      this.#surroundings.cacheBudget.spend(1 + left.length)
    }
    next[classNumber] = step
    this.#surroundings.cacheBudget.spend(1)
    return step
  }

  #forget(): void {
    for (const column of this.columns) column.forget()
    this.#rowOfValue.clear()
    this.#start = this.#freshStart()
    this.#generation = this.#surroundings.cacheBudget.generation
  }

  #freshStart(): Step {
    this.#steps = []
    const rows = allRows(this.table.rows.length)
    return { rows, first: firstRow(rows), next: [] }
  }
}

function readEndpoints({ definition, rows }: StagingTable, keys: KeySlots): EndpointColumn[] {
  return definition.flatMap(({ key = '', type }, column) => {
    if (type !== 'ENDPOINT') return []
    const cellOfRow = new Uint32Array(rows.length)
    const cells: Endpoint[] = []
    const known = new Map<Cell | undefined, number>()
    for (const [row, rowCells] of rows.entries()) {
      const cell = rowCells[column]
      let place = known.get(cell)
      if (place === undefined) {
        place = cells.push(endpointOf(cell, `rows[${row}][${column}]`, keys)) - 1
        known.set(cell, place)
      }
      cellOfRow[row] = place
    }
    return [{ key, cellOfRow, cells }]
  })
}

function endpointOf(cell: Cell | undefined, at: string, keys: KeySlots): Endpoint {
  const endpoint = parseEndpoint(cell, at)
  const key = endpoint.type === 'VALUE' ? referencedKey(endpoint.value ?? '') : undefined
  return { ...endpoint, slot: key === undefined ? -1 : keys.slotOf(key) }
}
