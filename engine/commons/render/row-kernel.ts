import type { Scratch } from '../../shared/executor.ts'
import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { webAssembly } from '../../shared/web-assembly.ts'
import { WORK_BYTES } from '../release/chunk-buffers.ts'
import type { LoadedArrays } from '../release/loaded.ts'
import type { CellForm } from './cells.ts'
import { BLOCK_ROWS } from './column-codes.ts'
import type { ColumnNode, LeafNode } from './column-tree.ts'
import type { SeenColumn, TypedColumn } from './columns.ts'
import { NODE_BYTES, RowNodes, SEEN_NULL } from './row-nodes.ts'

/** The exports of kernels/rows.ts, which describes them. Addresses are offsets in the memory. */
interface Kernel {
  readonly lacking: { readonly value: number }
  readonly present: { readonly value: number }
  texts(
    leaf: number,
    codes: number,
    rows: number,
    count: number,
    to: number,
    end: number,
    offsets: number,
    bits: number,
  ): number
  numbers(
    leaf: number,
    codes: number,
    rows: number,
    count: number,
    to: number,
    isInteger: boolean,
    bits: number,
  ): void
  gather(
    first: number,
    end: number,
    rows: number,
    count: number,
    stride: number,
    codes: number,
    bytes: number,
    space: number,
    spaceEnd: number,
  ): void
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
    space: number,
    spaceEnd: number,
  ): number
}

const CODE_BYTES = Uint32Array.BYTES_PER_ELEMENT
/** Maximum number of rows that the kernel is given at once. */
export const KERNEL_ROWS = 1024

/** Maximum number of nested elements that are read into the processor's caches at once. */
const MAX_TOUCHED = 2048

interface KernelMemory {
  readonly rows: Uint32Array
  readonly elements: Uint32Array
  /** Memory of the chunk, without the part in which rows are prepared. */
  readonly space: Uint8Array
}

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
  readonly #space: Uint8Array
  /** Start and end of the memory for numbers of nested elements. */
  readonly #elements: readonly [start: number, end: number]

  private constructor(kernel: Kernel, nodes: RowNodes, { rows, elements, space }: KernelMemory) {
    this.#kernel = kernel
    this.#elements = [elements.byteOffset, elements.byteOffset + elements.byteLength]
    this.#space = space
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
    const elements = nodes.newArray(MAX_TOUCHED)
    const chunk = target.subarray(0, target.length - WORK_BYTES)
    if (!rows || !elements) return undefined
    return new RowKernel(exports as Kernel, nodes, { rows, elements, space: chunk })
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
      this.#kernel.objects(
        object,
        this.#rows.byteOffset,
        rows.length,
        to,
        end,
        behind,
        ...this.#elements,
      ),
    )
  }

  /**
   * Returns the columns that members have in rows, with the kinds of their values, in no particular order, or
   * undefined if the kernel cannot tell.
   */
  columns(members: readonly ColumnNode[], rows: Uint32Array): SeenColumn[] | undefined {
    const capacities = new Map<string, number>()
    const capacityOf = (key: string) => capacities.get(key) ?? 1
    const seen = new Map<string, number>()
    let at = 0
    while (at < rows.length) {
      const places = this.#nodes.places(members, { capacityOf, codesAt: () => 0 })
      if (!places) return undefined
      let lacking = 0
      while (at < rows.length && lacking === 0) {
        const part = rows.subarray(at, at + KERNEL_ROWS)
        this.#rows.set(part)
        const { first, end } = places
        this.#kernel.gather(
          first,
          end,
          this.#rows.byteOffset,
          part.length,
          0,
          0,
          0,
          ...this.#elements,
        )
        lacking = this.#kernel.lacking.value
        if (lacking === 0) at += part.length
      }
      for (const { key, seen: kinds } of places.leaves) {
        if (kinds() !== 0) seen.set(key, (seen.get(key) ?? 0) | kinds())
      }
      const key = places.keys.get(lacking)
      if (key !== undefined) capacities.set(key, 2 * capacityOf(key))
      this.#nodes.drop(places)
    }
    return Array.from(seen, ([key, kinds]) => ({ key, kinds: kinds & ~SEEN_NULL }))
  }

  /**
   * Returns a writer of the lines of a table with these columns, or undefined if the kernel cannot write them.
   */
  table(
    form: CellForm,
    members: readonly ColumnNode[],
    columns: readonly string[],
    separator: number,
  ): KernelTable | undefined {
    if (columns.length === 0) return undefined
    const codes = this.#nodes.newArray(columns.length * BLOCK_ROWS)
    if (!codes) return undefined
    const codesAt = codes.byteOffset
    const layout = this.#layout(members, columns, {
      codesAt: (column) => codesAt + column * BLOCK_ROWS * CODE_BYTES,
      describe: (at, node, { isOwn }) => this.#nodes.column(at, node, form, isOwn),
      isAlike: () => true,
    })
    if (!layout) return undefined
    const { leaves, first, end } = layout
    const at = this.#rows.byteOffset
    return {
      write: (rows, sink) =>
        this.#write(sink, rows, (to, limit) => {
          const { length } = rows
          if (first < end) {
            this.#kernel.gather(
              first,
              end,
              at,
              length,
              CODE_BYTES,
              codesAt,
              codes.byteLength,
              ...this.#elements,
            )
          }
          const { length: width } = columns
          return this.#kernel.lines(leaves, width, codesAt, at, length, to, limit, separator)
        }),
    }
  }

  /**
   * Returns a reader of the codes of columns, or undefined if the kernel cannot read them.
   * @param columns names of the columns
   */
  codes(members: readonly ColumnNode[], columns: readonly string[]): KernelCodes | undefined {
    const blockRows = Math.min(
      Math.floor(this.#space.length / CODE_BYTES / Math.max(columns.length, 1)),
      KERNEL_ROWS,
    )
    if (blockRows === 0) return undefined
    const { byteOffset } = this.#space
    const numbers = new Map(columns.map((key, column) => [key, column]))
    const { own, others } = ownLeaves(members, '')
    const capacities = capacitiesOf(columns)
    // Codes of a column are next to each other.
    const stride = blockRows * CODE_BYTES
    const places = this.#nodes.places(others, {
      capacityOf: (key) => capacities.get(key) ?? 0,
      codesAt(key) {
        const column = numbers.get(key)
        return column === undefined ? 0 : byteOffset + column * stride
      },
    })
    if (!places) return undefined
    const leaves = new Map<number, LeafNode>()
    const note = (key: string, node: LeafNode) => {
      const column = numbers.get(key)
      if (column !== undefined) leaves.set(column, node)
    }
    for (const { key, node } of places.leaves) note(key, node)
    const nested = new Set(leaves.keys())
    for (const [key, node] of own) note(key, node)
    const { first, end } = places
    return {
      leaves,
      isNested: (column) => nested.has(column),
      read: (rows, codes) => {
        if (first === end) return
        for (let at = 0; at < rows.length; at += blockRows) {
          const part = rows.subarray(at, at + blockRows)
          const [{ length }, from] = [part, this.#rows.byteOffset]
          this.#rows.set(part)
          this.#kernel.gather(
            first,
            end,
            from,
            length,
            CODE_BYTES,
            byteOffset,
            columns.length * stride,
            ...this.#elements,
          )
          for (const column of nested) {
            const found = new Uint32Array(this.#buffer, byteOffset + column * stride, length)
            codes.set(found, column * rows.length + at)
          }
        }
      },
    }
  }

  /**
   * Writes the columns of rows as Arrow has them, into the memory of the chunk. Returns undefined if they do not
   * fit there, or the kernel cannot write one.
   */
  vectors(
    members: readonly ColumnNode[],
    columns: readonly TypedColumn[],
    rows: Uint32Array,
  ): RowVector[] | undefined {
    const space = new Space(this.#space)
    const own = space.take(rows.length * CODE_BYTES)
    if (own === undefined) return undefined
    new Uint32Array(this.#buffer, own, rows.length).set(rows)
    const codes = new Map<number, number>()
    const keys = columns.map(({ key }) => key)
    const layout = this.#layout(members, keys, {
      codesAt(column) {
        const at = codes.get(column) ?? space.take(rows.length * CODE_BYTES) ?? 0
        codes.set(column, at)
        return at
      },
      describe: (at, node, { isOwn, column }) => {
        const type = columns[column]?.type
        if (type === 'text') return this.#nodes.column(at, node, 'plain', isOwn)
        return type !== 'boolean' && this.#nodes.numbers(at, node, isOwn)
      },
      isAlike: (one, other) =>
        (columns[one]?.type === 'text') === (columns[other]?.type === 'text'),
    })
    if (!layout || [...codes.values()].includes(0)) return undefined
    const { leaves, first, end, known } = layout
    if (known.size < columns.length) return undefined
    if (first < end)
      this.#kernel.gather(first, end, own, rows.length, CODE_BYTES, 0, 0, ...this.#elements)
    const vectors: RowVector[] = []
    for (const [column, { type }] of columns.entries()) {
      const leaf = leaves + column * NODE_BYTES
      const given = [leaf, codes.get(column) ?? 0, own, rows.length] as const
      const vector = this.#vector(type, given, space)
      if (!vector) return undefined
      vectors.push(vector)
    }
    return vectors
  }

  #vector(
    type: TypedColumn['type'],
    given: readonly [leaf: number, codes: number, rows: number, count: number],
    space: Space,
  ): RowVector | undefined {
    const [, , , count] = given
    const bits = space.take((count + 7) >> 3)
    if (bits === undefined) return undefined
    const nullBitmap = new Uint8Array(this.#buffer, bits, (count + 7) >> 3)
    if (type !== 'text') {
      const data = space.take(count * Float64Array.BYTES_PER_ELEMENT)
      if (data === undefined) return undefined
      this.#kernel.numbers(...given, data, type === 'integer', bits)
      const nullCount = count - this.#kernel.present.value
      return { nullBitmap, nullCount, data: new Uint8Array(this.#buffer, data, 8 * count) }
    }
    const offsets = space.take((count + 1) * CODE_BYTES)
    if (offsets === undefined) return undefined
    const start = space.next
    const end = this.#kernel.texts(...given, start, space.end, offsets, bits)
    if (end === 0) return undefined
    space.next = end
    return {
      nullBitmap,
      nullCount: count - this.#kernel.present.value,
      data: new Uint8Array(this.#buffer, start, end - start),
      valueOffsets: new Int32Array(this.#buffer, offsets, count + 1),
    }
  }

  /** Writes the nodes of columns, and of the places in which their values are found. */
  #layout(
    members: readonly ColumnNode[],
    columns: readonly string[],
    { codesAt, describe, isAlike }: LayoutOptions,
  ): RowLayout | undefined {
    const leaves = this.#nodes.newNodes(columns.length)
    if (leaves === undefined) return undefined
    const numbers = new Map(columns.map((key, column) => [key, column]))
    const { own, others } = ownLeaves(members, '')
    const capacities = capacitiesOf(columns)
    const places = this.#nodes.places(others, {
      capacityOf: (key) => capacities.get(key) ?? 0,
      codesAt(key) {
        const column = numbers.get(key)
        return column === undefined ? 0 : codesAt(column)
      },
    })
    if (!places) return undefined
    // Items of a list are written alike.
    const written = new Map<LeafNode, number>()
    const known = new Set<number>()
    const write = (key: string, node: LeafNode, isOwn: boolean) => {
      const column = numbers.get(key)
      if (column === undefined) return true
      const at = leaves + column * NODE_BYTES
      known.add(column)
      const same = written.get(node)
      if (same === undefined) {
        written.set(node, column)
        return describe(at, node, { isOwn, column })
      }
      this.#nodes.copy(leaves + same * NODE_BYTES, at)
      return isAlike(same, column)
    }
    const isWhole =
      own.every(([key, node]) => write(key, node, true)) &&
      places.leaves.every(({ key, node }) => write(key, node, false))
    return isWhole ? { leaves, known, first: places.first, end: places.end } : undefined
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

/** Reads the codes of one table. */
interface KernelCodes {
  /** The field of each column that has one. */
  readonly leaves: ReadonlyMap<number, LeafNode>
  /** Whether `read` puts the codes of a column. */
  isNested(column: number): boolean
  /** Puts the codes of nested fields, one column after the other. Those of the rows' own fields are left alone. */
  read(rows: Uint32Array, codes: Uint32Array): void
}

/** Writes lines of one table. */
interface KernelTable {
  /**
   * Writes the lines of rows. Returns false and writes nothing if they do not fit.
   * @param rows at most BLOCK_ROWS
   */
  write(rows: Uint32Array, sink: ByteSink): boolean
}

/** A column as Arrow has it, in the memory of the chunk. */
export interface RowVector {
  readonly nullBitmap: Uint8Array
  readonly nullCount: number
  readonly data: Uint8Array
  /** Start of each text and the end. Only of texts. */
  readonly valueOffsets?: Int32Array
}

interface LayoutOptions {
  /** Returns the address of the codes that are found for a column. */
  readonly codesAt: (column: number) => number
  /** Writes the node of a column. Returns false if it is impossible. */
  readonly describe: (
    at: number,
    node: LeafNode,
    place: { readonly isOwn: boolean; readonly column: number },
  ) => boolean
  /** Whether two columns of one field are written in the same form. */
  readonly isAlike: (one: number, other: number) => boolean
}

interface RowLayout {
  /** Address of the nodes of the columns. */
  readonly leaves: number
  /** Columns that have a node. */
  readonly known: ReadonlySet<number>
  /** Addresses of the places. */
  readonly first: number
  readonly end: number
}

/** Hands out memory from the start on. */
class Space {
  readonly end: number
  next: number
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.next = bytes.byteOffset
    this.end = bytes.byteOffset + bytes.length
  }

  /** Returns the address of so many zeros, a multiple of 8, or undefined if there is no space. */
  take(bytes: number): number | undefined {
    const at = Math.ceil(this.next / 8) * 8
    if (at + bytes > this.end) return undefined
    this.next = at + bytes
    const start = at - this.#bytes.byteOffset
    this.#bytes.fill(0, start, start + bytes)
    return at
  }
}

interface OwnLeaves {
  /** Fields with a single value for each row, by column. */
  readonly own: readonly (readonly [key: string, node: LeafNode])[]
  readonly others: readonly ColumnNode[]
}

function ownLeaves(members: readonly ColumnNode[], prefix: string): OwnLeaves {
  const own: (readonly [string, LeafNode])[] = []
  const others: ColumnNode[] = []
  for (const node of members) {
    if (node.kind === 'leaf' && !node.leaf.printed.list) own.push([prefix + node.leaf.as, node])
    else if (node.kind !== 'object') others.push(node)
    else {
      const inside = ownLeaves(node.members, node.as === '' ? prefix : `${prefix}${node.as}.`)
      own.push(...inside.own)
      if (inside.others.length > 0) others.push({ ...node, members: inside.others })
    }
  }
  return { own, others }
}

/** Returns how many items of each list have columns, by the name of the list with a dot behind it. */
function capacitiesOf(columns: readonly string[]): ReadonlyMap<string, number> {
  const capacities = new Map<string, number>()
  for (const column of columns) {
    let at = 0
    for (const part of column.split('.')) {
      const list = column.slice(0, at)
      if (/^\d+$/.test(part)) {
        capacities.set(list, Math.max(capacities.get(list) ?? 0, Number(part) + 1))
      }
      at += part.length + 1
    }
  }
  return capacities
}
