import { type ColumnNode, codeAt, isNullAt, type LeafNode, visitNaming } from './column-tree.ts'

/** What stands at one place of the flat form of records: `cases.0.samples.1`. */
interface Place {
  readonly key: string
  /** Number of its column, when it is one. */
  slot: number
  /** By number of the member, or by position. */
  readonly inside: Place[]
}

/**
 * Rows of a table out of columns: names join with a dot, and array positions are zero-based numbers
 * that count what is printed (data-commons.md 3.5). A slot is a column of the table; it has the code
 * of its value in the current row.
 */
export class ColumnSlots {
  /** By slot. */
  readonly keys: string[] = []
  /** By slot: where its values come from. */
  readonly leaves: LeafNode[] = []
  /** By slot: the code of the current row's value; 0: it has none, or null. */
  codes = new Uint32Array(16)
  readonly #members: readonly ColumnNode[]
  readonly #root: Place = { key: '', slot: -1, inside: [] }
  readonly #numbers = new Map<string, number>()

  /** @param keys columns that get the first slots */
  constructor(members: readonly ColumnNode[], keys: readonly string[] = []) {
    this.#members = members
    for (const key of keys) this.#slotOf(key)
  }

  /** Takes up a row. */
  fill(row: number): void {
    this.codes.fill(0)
    this.#record(this.#members, this.#root, row, 0)
  }

  /** False when the element has none of the members; `from` is the number of the first one. */
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

/** The place of a member, or of an item, made if need be; without a name it is the one around it. */
function insideOf(above: Place, number: number, name: string | number): Place {
  const known = above.inside[number]
  if (known) return known
  const key = name === '' ? above.key : above.key === '' ? String(name) : `${above.key}.${name}`
  const place: Place = { key, slot: -1, inside: [] }
  above.inside[number] = place
  return place
}
