import type { Scratch } from '../../shared/executor.ts'
import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { orderColumns, SEPARATORS, type TableForm } from '../../shared/formats/table-cells.ts'
import { arraysOf } from '../release/arrays.ts'
import type { LoadedArrays } from '../release/loaded.ts'
import { type CellForm, type Cells, cellsOf } from './cells.ts'
import { BLOCK_ROWS, ColumnCodes } from './column-codes.ts'
import { objectWriter } from './column-lines.ts'
import type { ColumnPlan } from './column-plan.ts'
import { bindColumns, type ColumnNode, codeAt, isOwnLeaf, type LeafNode } from './column-tree.ts'
import type { SeenColumn, TypedColumn } from './columns.ts'
import { KERNEL_ROWS, RowKernel, type RowVector } from './row-kernel.ts'
import { columnsIn } from './seen-columns.ts'
import { FIRST_COLUMN } from './write-table.ts'

const LF = 0x0a

/** Writes rows of a response from columns, without reading documents. */
export class ColumnRows {
  readonly #members: readonly ColumnNode[]
  readonly #releaseId: string
  readonly #scratch: Scratch
  readonly #cells = new Map<CellForm, (node: LeafNode) => Cells>()
  readonly #openKernel: () => RowKernel | undefined
  #objects: ObjectWriter | undefined

  /** @param target memory of the chunk, if it may be written by the kernel */
  constructor(plan: ColumnPlan, loaded: LoadedArrays, scratch: Scratch, target?: Uint8Array) {
    this.#openKernel = () => RowKernel.of({ loaded, target, scratch })
    this.#members = bindColumns(plan.members, arraysOf(loaded))
    this.#releaseId = loaded.releaseId
    this.#scratch = scratch
  }

  /** Returns the columns that the rows have, with the types of their values, in no particular order. */
  columns(rows: Uint32Array): SeenColumn[] {
    const kernel = this.#openKernel()
    return columnsIn(this.#members, rows, (others) => kernel?.columns(others, rows))
  }

  /** Returns the rows' columns as Arrow has them, in the memory of the chunk, or undefined if that is impossible. */
  vectors(columns: readonly TypedColumn[], rows: Uint32Array): RowVector[] | undefined {
    return this.#openKernel()?.vectors(this.#members, columns, rows)
  }

  /** Writes each row as a JSON object, followed by the byte `behind`. */
  objects(rows: Uint32Array, sink: ByteSink, behind: number): void {
    const kernel = this.#openKernel()
    let object = kernel?.object(this.#members)
    for (let at = 0; at < rows.length; at += KERNEL_ROWS) {
      const part = rows.subarray(at, at + KERNEL_ROWS)
      const isWritten = object !== undefined && kernel?.objects(object, part, sink, behind)
      if (isWritten) continue
      this.#objectsOf(part, sink, behind)
      // The buffer is full.
      object = undefined
    }
  }

  #objectsOf(rows: Uint32Array, sink: ByteSink, behind: number): void {
    this.#objects ??= this.#objectWriter()
    const { write, touch } = this.#objects
    for (let at = 0; at < rows.length; at++) {
      if (at % TOUCHED_ROWS === 0) touch(rows.subarray(at, at + TOUCHED_ROWS))
      write(rows[at]!, sink)
      sink.byte(behind)
    }
  }

  #objectWriter(): ObjectWriter {
    const cellsOf = this.cells('json')
    return {
      write: objectWriter(this.#members, cellsOf),
      touch: touching(this.#members, cellsOf),
    }
  }

  /** Writes one table line per row, with these columns in this order. */
  lines(
    rows: Uint32Array,
    sink: ByteSink,
    { form, columns }: { readonly form: TableForm; readonly columns: readonly string[] },
  ): void {
    let table = this.#openKernel()?.table(form, this.#members, columns, SEPARATORS[form])
    let block: ColumnCodes | undefined
    for (let at = 0; at < rows.length; at += BLOCK_ROWS) {
      const part = rows.subarray(at, at + BLOCK_ROWS)
      if (table?.write(part, sink)) continue
      // The buffer is nearly full, or the table has something that the kernel never writes.
      table = undefined
      block ??= this.codes(columns)
      block.take(part)
      this.#linesOf(part.length, sink, { block, form, columns: columns.length })
    }
  }

  /** Writes the lines of a block. */
  #linesOf(count: number, sink: ByteSink, { block, form, columns }: Block): void {
    const cells = this.cells(form)
    // Each cell is followed by one byte, a separator or a line break.
    const ends = new Uint32Array(count).fill(columns)
    for (let column = 0; column < columns; column++) {
      const leaf = block.leafOf(column)
      if (leaf) cells(leaf).measure(block.codesOf(column), ends)
    }
    const places = placesOf(ends, count, sink)
    const { view } = sink
    for (let column = 0; column < columns; column++) {
      const leaf = block.leafOf(column)
      if (leaf) {
        const codes = block.codesOf(column)
        cells(leaf).touch?.(codes)
        cells(leaf).place(codes, places, view)
      }
      const behind = column + 1 < columns ? SEPARATORS[form] : LF
      for (let i = 0; i < count; i++) view.setUint8(places[i]!++, behind)
    }
  }

  /** Writes lines as `lines` does, with the columns that the rows have. Returns those columns. */
  ownLines(rows: Uint32Array, sink: ByteSink, form: TableForm): SeenColumn[] {
    const seen = new Map(this.columns(rows).map((column) => [column.key, column]))
    const columns = orderColumns(seen.keys(), FIRST_COLUMN)
    this.lines(rows, sink, { form, columns })
    return columns.map((key) => seen.get(key)!)
  }

  /**
   * Puts the dictionary codes of all rows, one column after the other. Returns the field of each column, or undefined
   * for a column without values.
   */
  readCodes(
    rows: Uint32Array,
    columns: readonly string[],
    codes: Uint32Array,
  ): (LeafNode | undefined)[] {
    const { length } = rows
    const kernel = this.#openKernel()?.codes(this.#members, columns)
    if (kernel) {
      kernel.read(rows, codes)
      return columns.map((_, column) => {
        const leaf = kernel.leaves.get(column)
        const own = codes.subarray(column * length, (column + 1) * length)
        if (!leaf) own.fill(0)
        else if (!kernel.isNested(column)) readOwn(leaf, rows, own)
        return leaf
      })
    }
    const block = this.codes(columns)
    for (let at = 0; at < length; at += BLOCK_ROWS) {
      block.take(rows.subarray(at, at + BLOCK_ROWS))
      for (let column = 0; column < columns.length; column++) {
        codes.set(block.codesOf(column), column * length + at)
      }
    }
    return columns.map((_, column) => block.leafOf(column))
  }

  /** Returns a reader for the dictionary codes of these columns. */
  codes(columns: readonly string[]): ColumnCodes {
    return new ColumnCodes(this.#members, columns)
  }

  /** Returns a function that returns the writer of a field's values. Writers are cached by syntax. */
  cells(form: CellForm): (node: LeafNode) => Cells {
    const known = this.#cells.get(form)
    if (known) return known
    const made = new Map<LeafNode, Cells>()
    const of = (node: LeafNode) => {
      const cells =
        made.get(node) ??
        cellsOf(node, form, { releaseId: this.#releaseId, scratch: this.#scratch })
      made.set(node, cells)
      return cells
    }
    this.#cells.set(form, of)
    return of
  }
}

interface Block {
  readonly block: ColumnCodes
  readonly form: TableForm
  /** Number of columns. */
  readonly columns: number
}

interface ObjectWriter {
  readonly write: (row: number, sink: ByteSink) => void
  readonly touch: (rows: Uint32Array) => void
}

/** Reads the codes of a single-valued field of the rows themselves. */
function readOwn({ codes, column }: LeafNode, rows: Uint32Array, to: Uint32Array): void {
  if (codes) for (let i = 0; i < rows.length; i++) to[i] = codes[rows[i]!]!
  else if (column) for (let i = 0; i < rows.length; i++) to[i] = rows[i]! + 1
  else to.fill(0)
}

/** Number of rows whose values are read into the processor's caches before they are written. */
const TOUCHED_ROWS = 128

/** Returns a function that reads the values of rows into the processor's caches. */
function touching(
  members: readonly ColumnNode[],
  cellsOf: (node: LeafNode) => Cells,
): (rows: Uint32Array) => void {
  const nodes = members.filter(isOwnLeaf)
  const codes = new Uint32Array(TOUCHED_ROWS)
  return (rows) => {
    for (const node of nodes) {
      let count = 0
      for (let i = 0; i < rows.length; i++) {
        const code = codeAt(node, rows[i]!)
        if (code !== 0) codes[count++] = code
      }
      cellsOf(node).touch?.(codes.subarray(0, count))
    }
  }
}

/** Reserves space for texts of the given lengths. Replaces the lengths by start offsets. */
export function placesOf(lengths: Uint32Array, count: number, sink: ByteSink): Uint32Array {
  let total = 0
  for (let i = 0; i < count; i++) total += lengths[i]!
  let place = sink.skip(total)
  for (let i = 0; i < count; i++) {
    const length = lengths[i]!
    lengths[i] = place
    place += length
  }
  return lengths
}
