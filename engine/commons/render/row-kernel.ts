import type { Scratch } from '../../shared/executor.ts'
import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { webAssembly } from '../../shared/web-assembly.ts'
import { WORK_BYTES } from '../release/chunk-buffers.ts'
import type { LoadedArrays } from '../release/loaded.ts'
import type { CellForm } from './cells.ts'
import type { ColumnCodes } from './column-codes.ts'
import type { ColumnNode } from './column-tree.ts'
import { NODE_BYTES, RowNodes } from './row-nodes.ts'

/** The exports of kernels/rows.ts, which describes them. Addresses are offsets in the memory. */
interface Kernel {
  lines(
    leaves: number,
    columns: number,
    codes: number,
    rows: number,
    count: number,
    to: number,
    end: number,
    separator: number,
  ): number
  objects(
    root: number,
    rows: number,
    count: number,
    to: number,
    end: number,
    behind: number,
  ): number
}

/** Maximum number of rows that the kernel is given at once. */
export const KERNEL_ROWS = 1024

interface KernelOptions {
  readonly loaded: LoadedArrays
  /** Memory of the chunk. Rows are prepared at its end. */
  readonly target: Uint8Array | undefined
  readonly scratch: Scratch
}

/**
 * Writes rows by the kernel kernels/rows.ts, from the columns of a release straight to the memory of a chunk
 * (ADR 116). The caller writes what the kernel does not.
 */
export class RowKernel {
  readonly #kernel: Kernel
  readonly #nodes: RowNodes
  readonly #buffer: SharedArrayBuffer
  readonly #rows: Uint32Array

  private constructor(kernel: Kernel, nodes: RowNodes, rows: Uint32Array) {
    this.#kernel = kernel
    this.#nodes = nodes
    this.#rows = rows
    this.#buffer = rows.buffer as SharedArrayBuffer
  }

  /** Returns a kernel for one chunk, or undefined if none is compiled or the chunk is not in its memory. */
  static of({ loaded, target, scratch }: KernelOptions): RowKernel | undefined {
    const { memory, releaseId } = loaded
    const wasm = webAssembly()
    const { rows: compiled } = scratch.kernels
    if (!memory || !wasm || !compiled || target?.buffer !== memory.buffer) return undefined
    const { exports } = new wasm.Instance(compiled, { env: { memory } })
    const end = target.byteOffset + target.length
    const space = new Uint8Array(memory.buffer, end - WORK_BYTES, WORK_BYTES)
    const nodes = new RowNodes({ space, releaseId, scratch })
    const rows = nodes.newArray(KERNEL_ROWS)
    return rows && new RowKernel(exports as Kernel, nodes, rows)
  }

  /** Returns an array in the memory, or undefined if there is no space. */
  newArray(length: number): Uint32Array | undefined {
    return this.#nodes.newArray(length)
  }

  /** Returns the object of these members for `objects`, or undefined if the kernel cannot write it. */
  object(members: readonly ColumnNode[]): number | undefined {
    return this.#nodes.root(members)
  }

  /**
   * Writes rows as JSON objects, each followed by the byte `behind`. Returns false and writes nothing if they
   * do not fit into the sink, or it is not in the memory.
   * @param rows at most KERNEL_ROWS
   */
  objects(object: number, rows: Uint32Array, sink: ByteSink, behind: number): boolean {
    return this.#write(sink, rows, (to, end) =>
      this.#kernel.objects(object, this.#rows.byteOffset, rows.length, to, end, behind),
    )
  }

  /** Returns a writer of the lines of a table, or undefined if the kernel cannot write them. */
  table(form: CellForm, codes: ColumnCodes, separator: number): KernelTable | undefined {
    const columns = codes.keys.length
    if (columns === 0 || codes.all.buffer !== this.#buffer) return undefined
    const leaves = this.#nodes.newNodes(columns)
    if (leaves === undefined) return undefined
    const known = new Set<number>()
    /** Writes the nodes of columns that further items have led to. Returns false if it is impossible. */
    const complete = () => {
      for (let column = 0; column < columns && known.size < columns; column++) {
        const leaf = known.has(column) ? undefined : codes.leafOf(column)
        if (!leaf) continue
        const at = leaves + column * NODE_BYTES
        if (!this.#nodes.column(at, leaf, form, codes.isOwn(column))) return false
        known.add(column)
      }
      return true
    }
    return {
      write: (rows, sink) => {
        const { all } = codes
        if (all.buffer !== this.#buffer || codes.keys.length !== columns || !complete())
          return false
        return this.#write(sink, rows, (to, end) => {
          const at = this.#rows.byteOffset
          const { length: count } = rows
          return this.#kernel.lines(leaves, columns, all.byteOffset, at, count, to, end, separator)
        })
      },
    }
  }

  #write(sink: ByteSink, rows: Uint32Array, write: (to: number, end: number) => number): boolean {
    const { buffer, byteOffset, byteLength } = sink.view
    if (buffer !== this.#buffer) return false
    this.#rows.set(rows)
    const to = byteOffset + sink.length
    const end = write(to, byteOffset + byteLength)
    if (end === 0) return false
    sink.skip(end - to)
    return true
  }
}

/** Writes lines of one table. */
interface KernelTable {
  /**
   * Writes the lines of the block that the codes were read of. Returns false and writes nothing if it cannot.
   * @param rows the block, without codes of columns that are its own
   */
  write(rows: Uint32Array, sink: ByteSink): boolean
}
