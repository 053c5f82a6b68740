import type { TableName } from '../datasets/define.ts'
import type { Step } from '../datasets/field-path.ts'
import type { Level, Link, ReleaseArrays } from '../release/loaded.ts'

/** From parents to the elements of a level; `inverse`: from the elements to their parents. */
export interface LevelMove extends Pick<Level, 'offsets' | 'parents'> {
  readonly kind: 'level'
  readonly inverse: boolean
  /** How many numbers there are on the side that the move leads to. */
  readonly size: number
  /** Parents that have no element or several, where the release has them; and how many. */
  readonly irregular: Int32Array | undefined
  readonly irregularities: number
}

/** From what holds a link to the rows that it names; `inverse`: from those rows to what names them. */
export interface LinkMove extends Omit<Link, 'layout'> {
  readonly kind: 'link'
  readonly inverse: boolean
  readonly size: number
}

/** One relation between two kinds of numbers: rows or elements. */
export type Move = LevelMove | LinkMove

/** Steps of a field as relations on the arrays. */
export interface JoinPath {
  readonly moves: readonly Move[]
  /** How many rows or elements there are at its end. */
  readonly size: number
}

/** `undefined`: nothing is reached, since a level or a link on the way is empty. */
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
    // Element number = parent number: there is no move to make.
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

/** Back along a link, then up from the level that holds it to the record. */
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
