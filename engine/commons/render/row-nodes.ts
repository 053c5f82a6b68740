import type { Scratch } from '../../shared/executor.ts'
import { type CellForm, isDecimal, renderedValues, type StoredForm, storedForm } from './cells.ts'
import { prefixOf } from './column-lines.ts'
import type { ColumnNode, LeafNode } from './column-tree.ts'
import { KINDS as VALUE_KINDS } from './columns.ts'

// Layout of a node in memory: 16 words of 32 bits, as kernels/rows.ts reads them.
export const NODE_BYTES = 64
const KINDS = {
  text: 0,
  raised: 1,
  uuid: 2,
  hex: 3,
  integer: 4,
  object: 5,
  linked: 6,
  list: 7,
  reverse: 8,
} as const
/** Width of the codes of a leaf in bytes. The code of element e is e + 1 if it has its own number. */
const WIDTHS = { none: 0, ownNumber: 3 } as const
/** How numbers that are not all integers are written. */
const FRACTIONS = { json: 1, withPoint: 2 } as const
const MISSING = { null: 2, some: 1 } as const
/** Index of the word of each field: fields of all nodes, and in LEAF and further objects those of some kinds. */
const NODE = { kind: 0, prefix: 1, prefixLength: 2 } as const
const LEAF = {
  bytes: 3,
  ends: 4,
  upper: 5,
  codes: 6,
  width: 7,
  quoted: 8,
  isList: 9,
  offsets: 10,
  missing: 11,
  nulls: 12,
  isLarge: 13,
} as const
const GROUP = {
  members: 3,
  membersEnd: 4,
  targets: 5,
  elements: 6,
  parents: 7,
  capacity: 8,
} as const
/** Fields of a leaf for `gather`. */
const PLACE = { values: 3, numbers: 4, kindBit: 5, capacity: 8, entry: 14 } as const
const ENTRY_BYTES = 8
/** Bit of a leaf that was seen to be null. */
export const SEEN_NULL = 16

/** Bytes behind a text, which the kernel reads in words. */
const READ_BEHIND = 32
/** Size of a dictionary in bytes that does not stay in the processor's nearest cache. */
const LARGE_BYTES = 16 << 10

type MemoryArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** Thrown where the kernel cannot write a table: an array is elsewhere, or there is no space to prepare it. */
class NotForKernel extends Error {}

/** A column of a table, or what may become one. */
interface PlacedLeaf {
  readonly key: string
  readonly node: LeafNode
  /** Kinds of the values that were seen, as KINDS bits and SEEN_NULL. */
  seen(): number
}

/** Members of rows in places, for the kernel's `gather`. */
interface RowPlaces {
  readonly first: number
  readonly end: number
  readonly leaves: readonly PlacedLeaf[]
  /** Keys of groups and lists, by the address of their node. */
  readonly keys: ReadonlyMap<number, string>
}

interface PlacesOptions {
  /** Returns the number of places of a list, given its key. */
  readonly capacityOf: (key: string) => number
  /** Returns the address of a column's codes, or 0 if there is none. */
  readonly codesAt: (key: string) => number
}

interface NodesOptions {
  /** Part of the memory in which nodes are written. Addresses are offsets in the whole memory. */
  readonly space: Uint8Array<SharedArrayBuffer>
  readonly releaseId: string
  readonly scratch: Scratch
}

/** Writes the nodes of a plan for the kernel kernels/rows.ts, with the addresses of a release's arrays. */
export class RowNodes {
  readonly #words: Uint32Array
  readonly #bytes: Uint8Array
  readonly #options: NodesOptions
  readonly #end: number
  #next: number

  constructor(options: NodesOptions) {
    const { buffer, byteOffset, length } = options.space
    this.#options = options
    this.#bytes = new Uint8Array(buffer)
    this.#words = new Uint32Array(buffer)
    this.#next = aligned(byteOffset)
    this.#end = byteOffset + length
  }

  /** Returns an array of the memory, or undefined if there is no space. */
  newArray(length: number): Uint32Array | undefined {
    return this.#unlessImpossible(() => {
      const at = this.#take(4 * length)
      return this.#words.subarray(at >>> 2, (at >>> 2) + length)
    })
  }

  /** Returns the address of so many nodes in a row, or undefined if there is no space. */
  newNodes(count: number): number | undefined {
    return this.#unlessImpossible(() => this.#take(count * NODE_BYTES))
  }

  /** Writes the node of an object with these members. Returns its address, or undefined if it is impossible. */
  root(members: readonly ColumnNode[]): number | undefined {
    return this.#unlessImpossible(() => {
      const at = this.#take(NODE_BYTES)
      this.#set(at, NODE.kind, KINDS.object)
      this.#members(at, members)
      return at
    })
  }

  /**
   * Writes the node of a column of a table. Returns false if it is impossible.
   * @param isOwn whether the kernel reads the codes of the rows, instead of being given them
   */
  column(at: number, node: LeafNode, form: CellForm, isOwn: boolean): boolean {
    const done = this.#unlessImpossible(() => {
      this.#values(at, node, form)
      if (isOwn) this.#codes(at, node)
      return true
    })
    return done ?? false
  }

  /** Writes members in places. Returns undefined if there is no space, and takes none then. */
  places(members: readonly ColumnNode[], options: PlacesOptions): RowPlaces | undefined {
    const start = this.#next
    const leaves: PlacedLeaf[] = []
    const keys = new Map<number, string>()
    const places = { ...options, leaves, keys }
    const made = this.#unlessImpossible(() => {
      const first = this.#take(members.length * NODE_BYTES)
      this.#placed(first, members, '', places)
      return { first, end: first + members.length * NODE_BYTES, leaves, keys }
    })
    if (!made) this.#next = start
    return made
  }

  /** Gives back the space of these places and of all that was written since. */
  drop({ first }: RowPlaces): void {
    this.#next = first
  }

  /** Writes the node of a column whose numbers are written in binary form. Returns false if it is impossible. */
  numbers(at: number, node: LeafNode, isOwn: boolean): boolean {
    const done = this.#unlessImpossible(() => {
      const { numbers } = node.column ?? {}
      if (numbers) this.#set(at, LEAF.bytes, this.#address(numbers))
      if (isOwn) this.#codes(at, node)
      return numbers !== undefined
    })
    return done ?? false
  }

  /** Writes the node that is at one address at another one, too. */
  copy(from: number, to: number): void {
    this.#bytes.copyWithin(to, from, from + NODE_BYTES)
  }

  #unlessImpossible<T>(make: () => T): T | undefined {
    try {
      return make()
    } catch (error) {
      if (error instanceof NotForKernel) return undefined
      throw error
    }
  }

  #members(at: number, members: readonly ColumnNode[]): void {
    const first = this.#take(members.length * NODE_BYTES)
    this.#set(at, GROUP.members, first)
    this.#set(at, GROUP.membersEnd, first + members.length * NODE_BYTES)
    for (const [i, member] of members.entries()) this.#member(first + i * NODE_BYTES, member)
  }

  #member(at: number, node: ColumnNode): void {
    if (node.kind === 'leaf') {
      this.#leaf(at, node)
      return
    }
    this.#group(at, node)
    if (node.kind !== 'linked') this.#prefix(at, node.as)
    this.#members(at, node.members)
  }

  /** Sets the kind of a node with members, and how their elements are found. */
  #group(at: number, node: Exclude<ColumnNode, LeafNode>): void {
    this.#set(at, NODE.kind, KINDS[node.kind])
    switch (node.kind) {
      case 'list':
        this.#set(at, GROUP.targets, this.#address(node.offsets))
        break
      case 'linked':
        this.#set(at, GROUP.targets, this.#address(node.targets))
        break
      case 'reverse':
        this.#set(at, GROUP.targets, this.#address(node.reverseOffsets))
        this.#set(at, GROUP.elements, this.#address(node.reverseElements))
        if (node.parents) this.#set(at, GROUP.parents, this.#address(node.parents))
    }
  }

  #leaf(at: number, node: LeafNode): void {
    this.#prefix(at, node.leaf.as)
    this.#values(at, node, 'json')
    this.#codes(at, node)
    this.#element(at, node)
  }

  /** Sets how the values of an element are found, and whether it is null without one. */
  #element(at: number, { leaf, offsets, nulls }: LeafNode): void {
    const { list, missing } = leaf.printed
    if (list) this.#set(at, LEAF.isList, 1)
    if (list && offsets) this.#set(at, LEAF.offsets, this.#address(offsets))
    // Without a bitmap, none of some elements is null.
    if (missing === 'null' || (missing && nulls)) this.#set(at, LEAF.missing, MISSING[missing])
    if (nulls) this.#set(at, LEAF.nulls, this.#address(nulls))
  }

  #placed(at: number, members: readonly ColumnNode[], prefix: string, places: Places): void {
    for (const [i, node] of members.entries()) {
      const place = at + i * NODE_BYTES
      if (node.kind === 'leaf') this.#placedLeaf(place, node, prefix, places)
      else this.#placedGroup(place, node, prefix, places)
    }
  }

  #placedGroup(
    at: number,
    node: Exclude<ColumnNode, LeafNode>,
    prefix: string,
    places: Places,
  ): void {
    this.#group(at, node)
    const name = node.kind === 'linked' || node.as === '' ? '' : `${node.as}.`
    const key = prefix + name
    const isList = node.kind === 'list' || node.kind === 'reverse'
    const capacity = isList ? places.capacityOf(key) : 0
    const size = node.members.length * NODE_BYTES
    const first = this.#take((capacity + 1) * size)
    this.#set(at, GROUP.members, first)
    this.#set(at, GROUP.membersEnd, first + size)
    if (!isList) {
      this.#placed(first, node.members, key, places)
      return
    }
    this.#set(at, GROUP.capacity, capacity)
    places.keys.set(at, key)
    for (let i = 0; i < capacity; i++) {
      this.#placed(first + i * size, node.members, `${key}${i}.`, places)
    }
    this.#placed(first + capacity * size, node.members, '', nowhere())
  }

  #placedLeaf(at: number, node: LeafNode, prefix: string, places: Places): void {
    const { leaf, column } = node
    const key = prefix + leaf.as
    this.#element(at, node)
    this.#codes(at, node)
    const { kind } = leaf.printed
    this.#set(at, PLACE.kindBit, VALUE_KINDS[kind === 'number' ? 'fraction' : kind])
    const numbers = kind === 'number' ? column?.numbers : undefined
    if (numbers) this.#set(at, PLACE.numbers, this.#address(numbers))
    const entry = (own: string, place: number) => {
      const word = place >>> 2
      this.#words[word] = places.codesAt(own)
      places.leaves.push({ key: own, node, seen: () => this.#words[word + 1]! })
    }
    entry(key, at + 4 * PLACE.entry)
    if (!leaf.printed.list) return
    const capacity = places.capacityOf(`${key}.`)
    const values = this.#take(capacity * ENTRY_BYTES)
    this.#set(at, PLACE.values, values)
    this.#set(at, PLACE.capacity, capacity)
    places.keys.set(at, `${key}.`)
    for (let i = 0; i < capacity; i++) entry(`${key}.${i}`, values + i * ENTRY_BYTES)
  }

  #codes(at: number, { codes, column }: LeafNode): void {
    if (codes) {
      this.#set(at, LEAF.codes, this.#address(codes))
      this.#set(at, LEAF.width, codes.BYTES_PER_ELEMENT)
    } else this.#set(at, LEAF.width, column ? WIDTHS.ownNumber : WIDTHS.none)
  }

  /** Sets how the values of codes are written. */
  #values(at: number, node: LeafNode, form: CellForm): void {
    if (!node.column) return
    const stored = storedForm(node, form)
    // A value that is stored as text may be printed in another way, such as truth values in a table.
    const isAsStored = stored?.form === 'integer' || node.leaf.printed.kind === 'text'
    if (stored && isAsStored) this.#stored(at, stored)
    else if (!this.#rendered(at, node, form)) this.#fractions(at, node, form)
  }

  #stored(at: number, stored: StoredForm): void {
    const values = stored.form === 'integer' ? stored.numbers : stored.bytes
    this.#set(at, LEAF.bytes, this.#address(values))
    if (values.byteLength > LARGE_BYTES) this.#set(at, LEAF.isLarge, 1)
    if (stored.form !== 'integer' && stored.isQuoted) this.#set(at, LEAF.quoted, 1)
    this.#set(at, NODE.kind, KINDS[stored.form])
    if (stored.form !== 'text') return
    this.#set(at, LEAF.ends, this.#address(stored.ends))
    if (!stored.upper) return
    this.#set(at, NODE.kind, KINDS.raised)
    this.#set(at, LEAF.upper, this.#address(stored.upper))
  }

  #fractions(at: number, { column, leaf }: LeafNode, form: CellForm): void {
    const { numbers } = column ?? {}
    if (!numbers) throw new NotForKernel()
    this.#set(at, NODE.kind, KINDS.integer)
    this.#set(at, LEAF.bytes, this.#address(numbers))
    this.#set(at, LEAF.isLarge, 1)
    const hasPoint = (form === 'tsv' || form === 'csv') && isDecimal(leaf.type)
    this.#set(at, LEAF.quoted, hasPoint ? FRACTIONS.withPoint : FRACTIONS.json)
  }

  /** Sets the texts of a small dictionary as they are written. Returns false if it is large. */
  #rendered(at: number, node: LeafNode, form: CellForm): boolean {
    const values = renderedValues(node, form, this.#options)
    if (!values) return false
    const { text, ends } = values
    const [bytesAt, endsAt] = [this.#take(text.length + READ_BEHIND), this.#take(ends.byteLength)]
    this.#bytes.set(text, bytesAt)
    this.#words.set(ends, endsAt >>> 2)
    this.#set(at, NODE.kind, KINDS.text)
    this.#set(at, LEAF.bytes, bytesAt)
    this.#set(at, LEAF.ends, endsAt)
    return true
  }

  /** Sets the name of a member. */
  #prefix(at: number, name: string): void {
    const prefix = prefixOf(name)
    const place = this.#take(prefix.byteLength + READ_BEHIND)
    this.#bytes.set(new Uint8Array(prefix.buffer, prefix.byteOffset, prefix.byteLength), place)
    this.#set(at, NODE.prefix, place)
    this.#set(at, NODE.prefixLength, prefix.byteLength)
  }

  #set(at: number, field: number, value: number): void {
    this.#words[(at >>> 2) + field] = value
  }

  #address({ buffer, byteOffset }: MemoryArray): number {
    if (buffer !== this.#bytes.buffer) throw new NotForKernel()
    return byteOffset
  }

  /** Returns the address of so many zeros. */
  #take(bytes: number): number {
    const at = this.#next
    this.#next = aligned(at + bytes)
    if (this.#next > this.#end) {
      this.#next = at
      throw new NotForKernel()
    }
    this.#bytes.fill(0, at, this.#next)
    return at
  }
}

interface Places extends PlacesOptions {
  readonly leaves: PlacedLeaf[]
  readonly keys: Map<number, string>
}

/** Places of items that have none: their values are noted nowhere. */
const nowhere = (): Places => ({
  capacityOf: () => 0,
  codesAt: () => 0,
  leaves: [],
  keys: new Map(),
})

const ALIGNMENT = 16
const aligned = (address: number) => Math.ceil(address / ALIGNMENT) * ALIGNMENT
