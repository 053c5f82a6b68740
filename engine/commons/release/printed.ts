import { SHAPE_OF_ITEM, SHAPES, type TreeNode } from './document-tree.ts'
import { type ColumnArrays, IN_DOCUMENTS, type PrintedLayout } from './layout.ts'
import type { Schema } from './schema.ts'
import type { WrittenValues } from './written-values.ts'

export interface Printed {
  readonly layout: PrintedLayout | typeof IN_DOCUMENTS
  /** Additional arrays that the column needs. */
  readonly arrays: Pick<ColumnArrays, 'upper' | 'nulls'>
}

const SCALARS = SHAPES.text | SHAPES.number | SHAPES.boolean

/**
 * Returns how documents print a field. Undefined if no document has the field.
 * @param shapes kinds of values at the field's position
 * @param written properties of the values, from the encoder
 */
export function printedOf(shapes: number, written: WrittenValues): Printed | undefined {
  if (shapes === 0) return undefined
  const scalar = shapes & ~SHAPES.null
  const items = scalar >> SHAPE_OF_ITEM
  const isList = (scalar & SHAPES.array) !== 0
  const kind = kindOf(isList ? items : scalar, written.isInteger)
  const rest = scalar & ~(isList ? SHAPES.array | (SCALARS << SHAPE_OF_ITEM) : SCALARS)
  const isNever = scalar === 0
  const isSome = written.nullCount > 0 && written.nullCount < written.without
  if (
    rest !== 0 ||
    (isNever && isSome) ||
    !written.isWhole ||
    (!isList && written.hasSeveral) ||
    !(kind || isNever)
  ) {
    return { layout: IN_DOCUMENTS, arrays: {} }
  }
  const { nulls, nullCount, upper, escaped } = written
  return {
    layout: {
      kind: kind ?? 'text',
      ...(isList && { list: true }),
      ...(nullCount > 0 && { missing: isSome ? 'some' : 'null' }),
      ...(upper && { upper: true }),
      ...(escaped > 0 && { escaped }),
    },
    arrays: { ...(upper && { upper }), ...(isSome && { nulls }) },
  }
}

function kindOf(shapes: number, isInteger: boolean): PrintedLayout['kind'] | undefined {
  if (shapes === SHAPES.text) return 'text'
  if (shapes === SHAPES.boolean) return 'boolean'
  if (shapes === SHAPES.number) return isInteger ? 'integer' : 'number'
  return undefined
}

/**
 * Returns whether documents match the arrays above a path. There must be no array without a level, no level that
 * is not an array, and no duplicate member.
 */
export function isRegularAbove(root: TreeNode, path: string, levels: ReadonlySet<string>): boolean {
  const names = path.split('.')
  let node: TreeNode | undefined = root
  for (const [i, name] of names.slice(0, -1).entries()) {
    node = node?.children.get(name)
    const isLevel = levels.has(names.slice(0, i + 1).join('.'))
    const odd = isLevel ? SHAPES.object | (SHAPES.array << SHAPE_OF_ITEM) : SHAPES.array
    if (!node || (node.shapes & (odd | SHAPES.twice)) !== 0) return false
  }
  return true
}

export const levelsOf = ({ levels }: Schema): ReadonlySet<string> =>
  new Set(levels.map(({ path }) => path))
