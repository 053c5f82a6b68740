import { ColumnSlots } from './column-slots.ts'
import type { ColumnNode, LeafNode } from './column-tree.ts'

/** Number of rows per block, small enough for the data of a block to stay in the processor's caches. */
export const BLOCK_ROWS = 128

/** Marks a row without an element, and a leaf without a column. */
const NONE = -1

/**
 * A node of the plan, with the element of each row in the block. An element is an index in the arrays of the
 * node's level: a row number for records, or the number of an item in a nested list.
 */
type Step = LeafStep | GroupStep

interface LeafStep {
  readonly kind: 'leaf'
  readonly node: LeafNode
  readonly key: string
  /** Index of the column, or NONE. */
  column: number
  /** Element of each row, or NONE. */
  readonly elements: Int32Array
}

interface GroupStep {
  readonly kind: 'group'
  readonly node: Exclude<ColumnNode, LeafNode>
  readonly elements: Int32Array
  readonly inside: readonly Step[]
}

/**
 * Reads the dictionary codes of a table's values, one block of rows at a time. If a row has at most one item
 * in each list, it is read together with other rows, column by column. Otherwise it is read by ColumnSlots,
 * because positions in column names count only the items that are printed.
 */
export class ColumnCodes {
  readonly #steps: readonly Step[]
  readonly #slots: ColumnSlots
  /** Codes by column: BLOCK_ROWS entries per column. */
  #codes: Uint32Array
  /** Cached subarray of each column's codes. Creating one takes as long as writing several cells. */
  #parts: Uint32Array[] = []
  /** Leaf of each column. See `leafOf`. */
  readonly #leaves: (LeafNode | undefined)[] = []
  readonly #rows = new Int32Array(BLOCK_ROWS)
  /** 1 for each row of the block that has several items in a list. */
  readonly #several = new Uint8Array(BLOCK_ROWS)
  #length = 0

  /**
   * @param keys column names. By default, the columns of single values and of the first item of each list,
   *   whether or not a row has a value there. Columns of further items are added as rows have them.
   */
  constructor(members: readonly ColumnNode[], keys?: readonly string[]) {
    const steps = stepsOf(members, '')
    const leaves = steps.flatMap(leavesIn)
    this.#slots = new ColumnSlots(members, keys ?? leaves.map(({ key }) => key))
    const numbers = new Map(this.keys.map((key, column) => [key, column]))
    for (const step of leaves) {
      step.column = numbers.get(step.key) ?? NONE
      if (step.column === NONE) continue
      this.#leaves[step.column] = step.node
    }
    this.#steps = steps
    this.#codes = new Uint32Array(this.keys.length * BLOCK_ROWS)
  }

  /** Column names by index. More may be added as rows are taken. */
  get keys(): readonly string[] {
    return this.#slots.keys
  }

  /** Loads a block of at most BLOCK_ROWS rows. */
  take(rows: Uint32Array): void {
    if (rows.length !== this.#length) this.#parts = []
    this.#length = rows.length
    this.#rows.set(rows)
    this.#several.fill(0)
    this.#codes.fill(0)
    this.#walk(this.#steps, this.#rows)
    for (let i = 0; i < rows.length; i++) if (this.#several[i] === 1) this.#fill(i)
  }

  /** Returns the code of each row's value, or 0 if the row has none. Valid until the next block is taken. */
  codesOf(column: number): Uint32Array {
    const start = column * BLOCK_ROWS
    this.#parts[column] ??= this.#codes.subarray(start, start + this.#length)
    return this.#parts[column]
  }

  /**
   * Returns the leaf that the values of a column belong to. For single values and first list items it is
   * known from the start. For further items and unknown names it is undefined until a row has such an item.
   */
  leafOf(column: number): LeafNode | undefined {
    return this.#leaves[column]
  }

  /** Reads the columns of these steps. */
  #walk(steps: readonly Step[], above: Int32Array): void {
    for (const step of steps) {
      if (step.kind === 'leaf') this.#leaf(step, above)
      else this.#walk(step.inside, this.#inside(step, above))
    }
  }

  /** Returns the element of each row at a node's level, given its element at the level above. */
  #inside({ node, elements }: GroupStep, above: Int32Array): Int32Array {
    switch (node.kind) {
      case 'object':
        return above
      case 'linked':
        for (let i = 0; i < this.#length; i++) {
          const element = above[i]!
          // Link targets are row numbers plus one. Zero means no link.
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

  /**
   * Sets the element of each row to the only item of its list, or to NONE. Rows with several items are
   * marked, and `#fill` reads them again.
   */
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

  /** Writes the codes of a column. Rows marked in `#several` are overwritten later. */
  #leaf({ node, column: number, elements: items }: LeafStep, above: Int32Array): void {
    const { leaf, codes, column, offsets } = node
    const isList = leaf.printed.list && offsets !== undefined
    // Rows with several items are marked even if no value is read, because a later item may have a column.
    if (isList) this.#single(offsets, above, items)
    if (number === NONE) return
    const elements = isList ? items : above
    const first = number * BLOCK_ROWS
    const all = this.#codes
    const length = this.#length
    if (codes) {
      for (let i = 0; i < length; i++) {
        const element = elements[i]!
        all[first + i] = element === NONE ? 0 : codes[element]!
      }
    } else if (column) {
      // Without a dictionary, the code of element e is e + 1. NONE (-1) becomes 0, which means no value.
      for (let i = 0; i < length; i++) all[first + i] = elements[i]! + 1
    }
  }

  /** Overwrites the codes of one row of the block with those that ColumnSlots reads. */
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

/** Makes the steps of nodes. Keys are those of the first items: `cases.0.samples.0.sample_id`. */
function stepsOf(members: readonly ColumnNode[], prefix: string): Step[] {
  return members.map((node): Step => {
    const elements = new Int32Array(BLOCK_ROWS)
    if (node.kind === 'leaf') {
      const { as, printed } = node.leaf
      const key = `${prefix}${as}${printed.list ? '.0' : ''}`
      return { kind: 'leaf', node, key, column: NONE, elements }
    }
    // The fields of a linked record are named as if they were in the record itself.
    const name = node.kind === 'linked' || node.as === '' ? '' : `${node.as}.`
    const item = node.kind === 'list' || node.kind === 'reverse' ? '0.' : ''
    const inside = stepsOf(node.members, prefix + name + item)
    return { kind: 'group', node, elements, inside }
  })
}

const leavesIn = (step: Step): LeafStep[] =>
  step.kind === 'leaf' ? [step] : step.inside.flatMap(leavesIn)
