import type { TableName } from '../datasets/define.ts'
import type { Step } from '../datasets/field-path.ts'
import type { Level, Link, ReleaseArrays } from '../release/loaded.ts'

/** Step from parents to the elements of a nested level. With `inverse`, from the elements to their parents. */
export interface LevelMove extends Pick<Level, 'offsets' | 'parents'> {
  readonly kind: 'level'
  readonly inverse: boolean
  /** Number of rows or elements that the step leads to. */
  readonly size: number
  /** Bitmap of the parents that have no element or several. Undefined if the release lacks it. */
  readonly irregular: Int32Array | undefined
  /** Number of these parents. 0 if the release lacks the bitmap. */
  readonly irregularities: number
}

/** Step from elements with a link to the linked rows. With `inverse`, from the linked rows to the elements. */
export interface LinkMove extends Omit<Link, 'layout'> {
  readonly kind: 'link'
  readonly inverse: boolean
  readonly size: number
}

/** Step between two sets of rows or elements. */
export type Move = LevelMove | LinkMove

/** Steps of a field's path, resolved to arrays. */
export interface JoinPath {
  readonly moves: readonly Move[]
  /** Number of rows or elements at the end of the path. */
  readonly size: number
}

/**
 * Resolves the steps of a path. Returns undefined if a level or link on it is empty.
 * @param start number of rows of the dataset where the path starts
 */
export function joinPathOf(
  steps: readonly Step[],
  start: number,
  arrays: ReleaseArrays,
): JoinPath | undefined {
  const moves: Move[] = []
  let size = start
  for (const step of steps) {
    const more = movesOf(step, arrays)
    if (!more) return undefined
    moves.push(...more.moves)
    size = more.size
  }
  return { moves, size }
}

function movesOf(step: Step, arrays: ReleaseArrays): JoinPath | undefined {
  if (step.kind === 'level') {
    const level = arrays.level(step.dataset, step.level)
    if (!level) return undefined
    const size = level.layout.elements
    // If each parent has one element with the same number, no step is needed.
    return { moves: level.layout.oneToOne ? [] : [levelMove(level, false, size)], size }
  }
  if (step.kind === 'link') {
    const link = arrays.link(step.dataset, step.at)
    const size = arrays.rows(step.target)
    return link && { moves: [linkMove(link, false, size)], size }
  }
  const link = arrays.link(step.target, step.through)
  return link && reverseOf(link, step.target, arrays)
}

/** Returns the moves from the target of a link to the elements that have the link, then up to their records. */
function reverseOf(link: Link, table: TableName, arrays: ReleaseArrays): JoinPath | undefined {
  const moves: Move[] = [linkMove(link, true, link.targets.length)]
  for (let path = link.layout.level; path !== ''; ) {
    const level = arrays.level(table, path)
    if (!level) return undefined
    if (!level.layout.oneToOne) moves.push(levelMove(level, true, level.offsets.length - 1))
    path = level.layout.parent
  }
  return { moves, size: arrays.rows(table) }
}

const levelMove = (level: Level, inverse: boolean, size: number): LevelMove => {
  const { offsets, parents, irregular, layout } = level
  const irregularities = layout.irregular ?? 0
  return { kind: 'level', inverse, size, offsets, parents, irregular, irregularities }
}

const linkMove = (link: Link, inverse: boolean, size: number): LinkMove => {
  const { targets, reverseOffsets, reverseElements } = link
  return { kind: 'link', inverse, size, targets, reverseOffsets, reverseElements }
}
