import { BLOCK_ROWS, ColumnCodes } from './column-codes.ts'
import { ColumnSlots } from './column-slots.ts'
import { type ColumnNode, codeAt, isNullAt, isOwnLeaf, type LeafNode } from './column-tree.ts'
import { KINDS, type SeenColumn } from './columns.ts'

/**
 * Returns the columns that the rows have, in no particular order.
 * @param find finds those of members other than single-valued fields of the rows, if it can
 */
export function columnsIn(
  members: readonly ColumnNode[],
  rows: Uint32Array,
  find: (members: readonly ColumnNode[]) => SeenColumn[] | undefined = () => undefined,
): SeenColumn[] {
  // For a single-valued field, the search ends at the first row that has it.
  const seen = members.filter(isOwnLeaf).flatMap((node) => ownColumn(node, rows) ?? [])
  const others = members.filter((member) => !isOwnLeaf(member))
  if (others.length === 0) return seen
  const found = find(others)
  if (found) return [...seen, ...found]
  return [...seen, ...(others.some(hasNulls) ? slotsIn(others, rows) : codesIn(others, rows))]
}

/** Finds columns where null values count as values. */
function slotsIn(members: readonly ColumnNode[], rows: Uint32Array): SeenColumn[] {
  const slots = new ColumnSlots(members)
  const kinds: number[] = []
  for (const row of rows) {
    slots.fill(row)
    for (let slot = 0; slot < slots.keys.length; slot++) {
      const code = slots.codes[slot]!
      if (code !== 0) kinds[slot] = (kinds[slot] ?? 0) | kindOfCode(slots.leaves[slot]!, code)
    }
  }
  return slots.keys.map((key, slot) => ({ key, kinds: kinds[slot] ?? 0 }))
}

/** Finds columns where null values do not count. */
function codesIn(members: readonly ColumnNode[], rows: Uint32Array): SeenColumn[] {
  const block = new ColumnCodes(members)
  const kinds: number[] = []
  for (let at = 0; at < rows.length; at += BLOCK_ROWS) {
    block.take(rows.subarray(at, at + BLOCK_ROWS))
    for (let column = 0; column < block.keys.length; column++) {
      const leaf = block.leafOf(column)
      const known = kinds[column] ?? 0
      // Further numbers are read, because they may be fractions instead of integers.
      if (leaf && (known === 0 || leaf.leaf.printed.kind === 'number')) {
        kinds[column] = known | kindsOf(block.codesOf(column), leaf)
      }
    }
  }
  const seen = block.keys.map((key, column) => ({ key, kinds: kinds[column] ?? 0 }))
  return seen.filter((column) => column.kinds !== 0)
}

function kindsOf(codes: Uint32Array, node: LeafNode): number {
  let kinds = 0
  for (const code of codes) if (code !== 0) kinds |= kindOfCode(node, code)
  return kinds
}

function hasNulls(node: ColumnNode): boolean {
  return node.kind === 'leaf'
    ? node.leaf.printed.missing !== undefined
    : node.members.some(hasNulls)
}

function ownColumn(node: LeafNode, rows: Uint32Array): SeenColumn | undefined {
  const { as: key, printed } = node.leaf
  let kinds = 0
  let isThere = false
  for (const row of rows) {
    const code = codeAt(node, row)
    if (code !== 0) {
      kinds |= kindOfCode(node, code)
      // Further numbers are read, because they may be fractions instead of integers.
      if (printed.kind !== 'number' || (kinds & KINDS.fraction) !== 0) break
    } else isThere ||= isNullAt(node, row)
  }
  return kinds !== 0 || isThere ? { key, kinds } : undefined
}

/** Returns the KINDS bit of a value. */
function kindOfCode({ leaf, column }: LeafNode, code: number): number {
  switch (leaf.printed.kind) {
    case 'text':
      return KINDS.text
    case 'boolean':
      return KINDS.boolean
    case 'integer':
      return KINDS.integer
    case 'number':
      return Number.isSafeInteger(column?.numbers?.[code - 1]) ? KINDS.integer : KINDS.fraction
  }
}
