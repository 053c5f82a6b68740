import type { ColumnEncoder } from './column-encoder.ts'
import type { LevelEncoder } from './level-encoder.ts'

/** Where the values of a member go. */
export interface ValueSink {
  readonly encoder: ColumnEncoder
  /** Its current element is the one that has the value. */
  readonly level: LevelEncoder
}

/** What stands at a place of the documents, as bits; what stands there in an array, SHAPE_OF_ITEM bits up. */
export const SHAPES = {
  text: 1,
  number: 2,
  boolean: 4,
  null: 8,
  object: 16,
  array: 32,
  /** An array without items. */
  empty: 1 << 12,
  /** One object has the member twice, of which the last one counts. */
  twice: 1 << 13,
  /** A number that is none: 1e999. */
  infinite: 1 << 14,
} as const

export const SHAPE_OF_ITEM = 6

/** A member's name in the documents, and the one that was seen behind it. */
export interface Member {
  /** UTF-8 between the quotes; names that are written with escapes are never noted. */
  readonly key: Uint8Array
  readonly node: TreeNode
  next: Member | undefined
}

/** A value of the document just read, as it is written. */
export interface Captured {
  start: number
  end: number
  /** 0: there is none; 1: may be copied as it is; 2: JSON that must be parsed. */
  kind: number
}

/** Names noted per object; what comes beyond that is looked up each time. */
const MAX_MEMBERS = 2048

/** A place in the documents: what lies below it, and where its values go. */
export class TreeNode {
  readonly children = new Map<string, TreeNode>()
  readonly sinks: ValueSink[] = []
  /** An object here is an element of this level. */
  level: LevelEncoder | undefined
  /** Where the scanner notes a scalar here; for members of the record itself. */
  capture: Captured | undefined
  /** Sum of SHAPES that were seen here. */
  shapes = 0
  /** Number of the object whose member was seen here last. */
  holder = 0
  readonly #members = new Map<string, Member>()
  /** The member that objects here started with. */
  first: Member | undefined

  /** The node at a path below this one, made if need be. */
  at(path: string): TreeNode {
    let node: TreeNode = this
    for (const name of path.split('.')) {
      const child = node.children.get(name) ?? new TreeNode()
      node.children.set(name, child)
      node = child
    }
    return node
  }

  /** The member of a name, which may be none that goes anywhere. */
  member(name: string): Member {
    const known = this.#members.get(name)
    if (known) return known
    const node = this.children.get(name) ?? NOWHERE
    const member = { key: Buffer.from(name), node, next: undefined }
    if (this.#members.size < MAX_MEMBERS) this.#members.set(name, member)
    return member
  }
}

/** What lies below it is passed over. */
export const NOWHERE = new TreeNode()
