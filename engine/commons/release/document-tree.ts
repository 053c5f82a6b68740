import type { ColumnEncoder } from './column-encoder.ts'
import type { LevelEncoder } from './level-encoder.ts'

/** Destination of a member's values. */
interface ValueSink {
  readonly encoder: ColumnEncoder
  /** Level whose current element has the value. */
  readonly level: LevelEncoder
}

/** Bits for the kinds of values at a position in documents. The bits for array items are shifted by SHAPE_OF_ITEM. */
export const SHAPES = {
  text: 1,
  number: 2,
  boolean: 4,
  null: 8,
  object: 16,
  array: 32,
  /** An array that has no items. */
  empty: 1 << 12,
  /** An object with the same member twice, of which the last counts. */
  twice: 1 << 13,
  /** A number that is too large for a double, such as 1e999. */
  infinite: 1 << 14,
} as const

export const SHAPE_OF_ITEM = 6

/** Name of a member in documents, linked to the name that followed it most recently. */
export interface Member {
  /** UTF-8 bytes between the quotes. Names with escapes are never recorded. */
  readonly key: Uint8Array
  readonly node: TreeNode
  next: Member | undefined
}

/** A value of the document just read, as a byte range. */
export interface Captured {
  start: number
  end: number
  /** Kind of the captured value: 0 for none, 1 for text to copy unchanged, 2 for JSON that has to be parsed. */
  kind: number
}

/** Maximum number of names recorded per object. Each further name is looked up every time. */
const MAX_MEMBERS = 2048

/** A position in the documents: its children and the sinks for its values. */
export class TreeNode {
  readonly children = new Map<string, TreeNode>()
  readonly sinks: ValueSink[] = []
  /** Level of which each object here is an element. */
  level: LevelEncoder | undefined
  /** Receives a scalar found here. Only for members of the record itself. */
  capture: Captured | undefined
  /** Union of SHAPES bits seen here. */
  shapes = 0
  /** Number of the object whose member was seen here last. */
  holder = 0
  readonly #members = new Map<string, Member>()
  /** The member that objects here start with. */
  first: Member | undefined

  /** Returns the node at a path below this node. Creates it if needed. */
  at(path: string): TreeNode {
    let node: TreeNode = this
    for (const name of path.split('.')) {
      const child = node.children.get(name) ?? new TreeNode()
      node.children.set(name, child)
      node = child
    }
    return node
  }

  /** Returns the member with a name. If nothing reads the member, its node is NOWHERE. */
  member(name: string): Member {
    const known = this.#members.get(name)
    if (known) return known
    const node = this.children.get(name) ?? NOWHERE
    const member = { key: Buffer.from(name), node, next: undefined }
    if (this.#members.size < MAX_MEMBERS) this.#members.set(name, member)
    return member
  }
}

/** Node whose content is skipped. */
export const NOWHERE = new TreeNode()
