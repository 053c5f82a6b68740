import { type ColumnNode, codeAt, isNullAt, type LeafNode, visitNaming } from './column-tree.ts'

/** A position in the flattened form of records, such as `cases.0.samples.1`. */
interface Place {
  readonly key: string
  /** Index of the column at this position, or -1 if there is none. */
  slot: number
  /** Positions inside this position, by field number or array index. */
  readonly inside: Place[]
}

/**
 * Flattens rows into the columns of a table (data-commons.md 3.5). Names are joined by dots; array positions
 * are 0-based and count printed items only. A slot is the number of a column, with the code of the value in
 * the current row.
 */
export class ColumnSlots {
  /** Column names, indexed by slot. */
  readonly keys: string[] = []
  /** Leaf from which the values come, indexed by slot. */
  readonly leaves: LeafNode[] = []
  /** Code of the current row's value by slot. 0 means null or no value. */
  codes = new Uint32Array(16)
  readonly #members: readonly ColumnNode[]
  readonly #root: Place = { key: '', slot: -1, inside: [] }
  readonly #numbers = new Map<string, number>()

  /** @param keys columns that get the first slots */
  constructor(members: readonly ColumnNode[], keys: readonly string[] = []) {
    this.#members = members
    for (const key of keys) this.#slotOf(key)
  }

  /** Fills the slots from a row. */
  fill(row: number): void {
    this.codes.fill(0)
    this.#record(this.#members, this.#root, row, 0)
  }

  /**
   * Reads the members of an element, numbered from `from` on. Returns false if it has none of them.
   * @param from number of the first member
   */
  #record(members: readonly ColumnNode[], place: Place, element: number, from: number): boolean {
    let found = false
    for (let i = 0; i < members.length; i++) {
      if (this.#member(members[i]!, place, element, from + i)) found = true
    }
    return found
  }

  #member(node: ColumnNode, above: Place, element: number, number: number): boolean {
    switch (node.kind) {
      case 'leaf':
        return this.#leaf(node, above, element, number)
      case 'linked': {
        const target = node.targets[element]!
        if (target === 0) return false
        const linked = insideOf(above, number, '')
        return this.#record(node.members, linked, target - 1, 0)
      }
      case 'object':
        return this.#record(node.members, insideOf(above, number, node.as), element, 0)
      case 'list': {
        const end = node.offsets[element + 1]!
        let position = 0
        let place: Place | undefined
        for (let one = node.offsets[element]!; one < end; one++) {
          place ??= insideOf(above, number, node.as)
          const item = insideOf(place, position, position)
          if (this.#record(node.members, item, one, 0)) position++
        }
        return position > 0
      }
      case 'reverse': {
        const place = insideOf(above, number, node.as)
        let position = 0
        visitNaming(node, element, (record) => {
          const item = insideOf(place, position, position)
          if (this.#record(node.members, item, record, 0)) position++
        })
        return position > 0
      }
    }
  }

  #leaf(node: LeafNode, above: Place, element: number, number: number): boolean {
    if (node.leaf.printed.list) return this.#list(node, above, element, number)
    const code = codeAt(node, element)
    if (code === 0 && !isNullAt(node, element)) return false
    this.#put(node, insideOf(above, number, node.leaf.as), code)
    return true
  }

  #list(node: LeafNode, above: Place, element: number, number: number): boolean {
    const { codes, offsets } = node
    const start = offsets ? offsets[element]! : element
    const end = offsets ? offsets[element + 1]! : element + 1
    let place: Place | undefined
    for (let at = start; at < end; at++) {
      const code = codes ? codes[at]! : at + 1
      if (code === 0) break
      place ??= insideOf(above, number, node.leaf.as)
      this.#put(node, insideOf(place, at - start, at - start), code)
    }
    if (place) return true
    if (!isNullAt(node, element)) return false
    this.#put(node, insideOf(above, number, node.leaf.as), 0)
    return true
  }

  #put(node: LeafNode, place: Place, code: number): void {
    if (place.slot < 0) {
      place.slot = this.#slotOf(place.key)
      this.leaves[place.slot] = node
    }
    if (code !== 0) this.codes[place.slot] = code
  }

  #slotOf(key: string): number {
    let slot = this.#numbers.get(key)
    if (slot === undefined) {
      slot = this.keys.push(key) - 1
      this.#numbers.set(key, slot)
      if (slot >= this.codes.length) {
        const more = new Uint32Array(2 * slot)
        more.set(this.codes)
        this.codes = more
      }
    }
    return slot
  }
}

/** Returns the position of a field or item. Creates it if needed. An empty name does not change the key. */
function insideOf(above: Place, number: number, name: string | number): Place {
  const known = above.inside[number]
  if (known) return known
  const key = name === '' ? above.key : above.key === '' ? String(name) : `${above.key}.${name}`
  const place: Place = { key, slot: -1, inside: [] }
  above.inside[number] = place
  return place
}
