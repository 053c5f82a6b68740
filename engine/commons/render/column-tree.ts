import type { Codes } from '../release/layout.ts'
import type { Column, ReleaseArrays } from '../release/loaded.ts'
import type { PlannedLeaf, PlannedMember } from './column-plan.ts'

/** A plan, together with the arrays of a release that it reads. */
export type ColumnNode = LeafNode | ObjectNode | ListNode | LinkedNode | ReverseNode

export interface LeafNode {
  readonly kind: 'leaf'
  readonly leaf: PlannedLeaf
  readonly column: Column | undefined
  /** Codes by element. If undefined, the code of element e is e + 1, or no element has a value. */
  readonly codes: Codes | undefined
  readonly offsets: Uint32Array | undefined
  /** Bitmap of the letters to print in upper case. */
  readonly upper: Uint8Array | undefined
  /** Bitmap of the elements that are null. */
  readonly nulls: Int32Array | undefined
}

interface ObjectNode {
  readonly kind: 'object'
  readonly as: string
  readonly members: readonly ColumnNode[]
}

interface ListNode extends Omit<ObjectNode, 'kind'> {
  readonly kind: 'list'
  readonly offsets: Uint32Array
}

interface LinkedNode {
  readonly kind: 'linked'
  readonly targets: Uint32Array
  readonly members: readonly ColumnNode[]
}

interface ReverseNode extends Omit<ObjectNode, 'kind'> {
  readonly kind: 'reverse'
  readonly reverseOffsets: Uint32Array
  readonly reverseElements: Uint32Array
  readonly parents: Uint32Array | undefined
}

/**
 * Binds planned members to the arrays of a release.
 * @throws TypeError if an array of the plan was not loaded
 */
export function bindColumns(
  members: readonly PlannedMember[],
  arrays: ReleaseArrays,
): readonly ColumnNode[] {
  return members.map((member) => bindMember(member, arrays))
}

function bindMember(member: PlannedMember, arrays: ReleaseArrays): ColumnNode {
  switch (member.kind) {
    case 'leaf':
      return bindLeaf(member, arrays)
    case 'object':
      return { ...member, members: bindColumns(member.members, arrays) }
    case 'list': {
      const { as, dataset, level } = member
      const { offsets } = loaded(arrays.level(dataset, level), level)
      return { kind: 'list', as, offsets, members: bindColumns(member.members, arrays) }
    }
    case 'linked': {
      const { targets } = loaded(arrays.link(member.dataset, member.at), member.at)
      return { kind: 'linked', targets, members: bindColumns(member.members, arrays) }
    }
    case 'reverse': {
      const { as, dataset, through, level } = member
      const { reverseOffsets, reverseElements } = loaded(arrays.link(dataset, through), through)
      const parents = level === '' ? undefined : loaded(arrays.level(dataset, level), level).parents
      const inside = bindColumns(member.members, arrays)
      return { kind: 'reverse', as, reverseOffsets, reverseElements, parents, members: inside }
    }
  }
}

function bindLeaf(leaf: PlannedLeaf, arrays: ReleaseArrays): LeafNode {
  const { dataset, path, link, printed } = leaf
  const column = arrays.column(dataset, path)
  const { upper, nulls } = column ?? {}
  if ((printed.upper && !upper) || (printed.missing === 'some' && !nulls)) loaded(undefined, path)
  const targets = link && loaded(arrays.link(link.dataset, link.at), link.at).targets
  const codes = targets ?? column?.codes
  const ofElement = targets ? undefined : nulls
  return { kind: 'leaf', leaf, column, codes, offsets: column?.offsets, upper, nulls: ofElement }
}

function loaded<T>(array: T | undefined, name: string): T {
  if (array) return array
  throw new TypeError(`arrays of "${name}" were not loaded`)
}

/** Returns whether the node is a single-valued field of the record itself. */
export const isOwnLeaf = (node: ColumnNode): node is LeafNode =>
  node.kind === 'leaf' && !node.leaf.printed.list

/** Returns the code of an element's single value, or 0 if the element has no value. */
export function codeAt({ codes, column }: LeafNode, element: number): number {
  if (codes) return codes[element]!
  return column ? element + 1 : 0
}

/** Returns whether an element without a value is printed as null. */
export function isNullAt({ leaf, nulls }: LeafNode, element: number): boolean {
  const { missing } = leaf.printed
  if (missing === undefined) return false
  return missing === 'null' || ((nulls?.[element >>> 5] ?? 0) & (1 << (element & 31))) !== 0
}

/** Calls `visit` once for each record that links to a row. */
export function visitNaming(
  { reverseOffsets, reverseElements, parents }: ReverseNode,
  row: number,
  visit: (record: number) => void,
): void {
  let last = -1
  for (let at = reverseOffsets[row]!; at < reverseOffsets[row + 1]!; at++) {
    const element = reverseElements[at]!
    const record = parents ? parents[element]! : element
    // Elements are ascending, so several links from one record are next to each other.
    if (record !== last) visit(record)
    last = record
  }
}
