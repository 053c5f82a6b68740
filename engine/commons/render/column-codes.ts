import { ColumnSlots } from './column-slots.ts'
import type { ColumnNode, LeafNode } from './column-tree.ts'

/** Rows that are taken up at a time: what they need stays in the processor's caches. */
export const BLOCK_ROWS = 128

/** In place of an element. */
const NONE = -1

/** A node with the elements of it that the rows lead to. */
type Step = LeafStep | GroupStep

interface LeafStep {
  readonly kind: 'leaf'
  readonly node: LeafNode
  readonly key: string
  /** Number of its column, or NONE. */
  column: number
  /** By row; NONE where there is none. */
  readonly elements: Int32Array
}

interface GroupStep {
  readonly kind: 'group'
  readonly node: Exclude<ColumnNode, LeafNode>
  readonly elements: Int32Array
  readonly inside: readonly Step[]
}

/**
 * The codes of the values in the columns of a table, of a block of rows at a time. A row with one item
 * in each of its lists needs no counting of what is printed: its columns are gone through one by one.
 * Other rows go through ColumnSlots.
 */
export class ColumnCodes {
  readonly #steps: readonly Step[]
  readonly #slots: ColumnSlots
  /** By column, BLOCK_ROWS of each. */
  #codes: Uint32Array
  /** By column, its part of the codes: making one takes as long as writing several cells. */
  #parts: Uint32Array[] = []
  /** By column. */
  readonly #leaves: (LeafNode | undefined)[] = []
  readonly #rows = new Int32Array(BLOCK_ROWS)
  /** Of each row, whether it has several items in a list. */
  readonly #several = new Uint8Array(BLOCK_ROWS)
  #length = 0

  /** @param keys names of the columns; without them those that rows have, and some that they could have */
  constructor(members: readonly ColumnNode[], keys?: readonly string[]) {
    const steps = stepsOf(members, '')
    const leaves = steps.flatMap(leavesIn)
    this.#slots = new ColumnSlots(members, keys ?? leaves.map(({ key }) => key))
    const numbers = new Map(this.keys.map((key, column) => [key, column]))
    for (const step of leaves) {
      step.column = numbers.get(step.key) ?? NONE
      if (step.column !== NONE) this.#leaves[step.column] = step.node
    }
    this.#steps = steps
    this.#codes = new Uint32Array(this.keys.length * BLOCK_ROWS)
  }

  /** By column; more may come with rows. */
  get keys(): readonly string[] {
    return this.#slots.keys
  }

  /** Takes up at most BLOCK_ROWS rows. */
  take(rows: Uint32Array): void {
    if (rows.length !== this.#length) this.#parts = []
    this.#length = rows.length
    this.#rows.set(rows)
    this.#several.fill(0)
    this.#codes.fill(0)
    this.#walk(this.#steps, this.#rows)
    for (let i = 0; i < rows.length; i++) if (this.#several[i] === 1) this.#fill(i)
  }

  /** By row: the code of its value; 0: it has none. Valid until the next block is taken. */
  codesOf(column: number): Uint32Array {
    const start = column * BLOCK_ROWS
    this.#parts[column] ??= this.#codes.subarray(start, start + this.#length)
    return this.#parts[column]
  }

  /** Where the values of a column are from; `undefined` while no row had one. */
  leafOf(column: number): LeafNode | undefined {
    return this.#leaves[column]
  }

  #walk(steps: readonly Step[], above: Int32Array): void {
    for (const step of steps) {
      if (step.kind === 'leaf') this.#leaf(step, above)
      else this.#walk(step.inside, this.#inside(step, above))
    }
  }

  /** The elements that those above lead to. */
  #inside({ node, elements }: GroupStep, above: Int32Array): Int32Array {
    switch (node.kind) {
      case 'object':
        return above
      case 'linked':
        for (let i = 0; i < this.#length; i++) {
          const element = above[i]!
          // A target of zero is none.
          elements[i] = element === NONE ? NONE : node.targets[element]! - 1
        }
        return elements
      case 'list':
        this.#single(node.offsets, above, elements)
        return elements
      case 'reverse': {
        const { reverseOffsets, reverseElements, parents } = node
        this.#single(reverseOffsets, above, elements)
        for (let i = 0; i < this.#length; i++) {
          if (elements[i] === NONE) continue
          const element = reverseElements[elements[i]!]!
          elements[i] = parents ? parents[element]! : element
        }
        return elements
      }
    }
  }

  /** The one item of each element's list. */
  #single(offsets: Uint32Array, above: Int32Array, elements: Int32Array): void {
    for (let i = 0; i < this.#length; i++) {
      const element = above[i]!
      if (element === NONE) {
        elements[i] = NONE
        continue
      }
      const start = offsets[element]!
      const count = offsets[element + 1]! - start
      elements[i] = count === 1 ? start : NONE
      if (count > 1) this.#several[i] = 1
    }
  }

  #leaf({ node, column: number, elements: single }: LeafStep, above: Int32Array): void {
    const { leaf, codes, column, offsets } = node
    const isList = leaf.printed.list && offsets !== undefined
    if (isList) this.#single(offsets, above, single)
    if (number === NONE) return
    const elements = isList ? single : above
    const first = number * BLOCK_ROWS
    const all = this.#codes
    const length = this.#length
    if (codes) {
      for (let i = 0; i < length; i++) {
        const element = elements[i]!
        all[first + i] = element === NONE ? 0 : codes[element]!
      }
    } else if (column) {
      // NONE becomes 0.
      for (let i = 0; i < length; i++) all[first + i] = elements[i]! + 1
    }
  }

  #fill(place: number): void {
    const slots = this.#slots
    slots.fill(this.#rows[place]!)
    const length = slots.keys.length * BLOCK_ROWS
    if (length > this.#codes.length) {
      const more = new Uint32Array(2 * length)
      more.set(this.#codes)
      this.#codes = more
      this.#parts = []
    }
    for (let column = 0; column < slots.keys.length; column++) {
      this.#codes[column * BLOCK_ROWS + place] = slots.codes[column]!
      this.#leaves[column] ??= slots.leaves[column]
    }
  }
}

function stepsOf(members: readonly ColumnNode[], prefix: string): Step[] {
  return members.map((node): Step => {
    const elements = new Int32Array(BLOCK_ROWS)
    if (node.kind === 'leaf') {
      const { as, printed } = node.leaf
      const key = `${prefix}${as}${printed.list ? '.0' : ''}`
      return { kind: 'leaf', node, key, column: NONE, elements }
    }
    const name = node.kind === 'linked' || node.as === '' ? '' : `${node.as}.`
    const item = node.kind === 'list' || node.kind === 'reverse' ? '0.' : ''
    return { kind: 'group', node, elements, inside: stepsOf(node.members, prefix + name + item) }
  })
}

const leavesIn = (step: Step): LeafStep[] =>
  step.kind === 'leaf' ? [step] : step.inside.flatMap(leavesIn)
