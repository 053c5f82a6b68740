import { grown } from '../../shared/arrays/growing.ts'
import type { LevelArrays, LevelLayout } from './layout.ts'

/** Collects the elements of one level in document order. */
export class LevelEncoder {
  readonly path: string
  readonly parent: LevelEncoder | undefined
  #parents = new Uint32Array(0)
  #count = 0

  /** @param parent left out for the record itself, whose elements are the rows */
  constructor(path: string, parent?: LevelEncoder) {
    this.path = path
    this.parent = parent
  }

  get elements(): number {
    return this.#count
  }

  /** Element to which values belong. It is always the last one, because a level is never nested in itself. */
  get current(): number {
    return this.#count - 1
  }

  /** Starts an element below the current element of the parent level. */
  open(): void {
    const at = this.#count++
    if (!this.parent) return
    if (at >= this.#parents.length) this.#parents = grown(this.#parents, at + 1)
    this.#parents[at] = this.parent.current
  }

  /** Returns the level, below the level of its parent. Call it only for a level that has a parent. */
  finish(): { layout: LevelLayout; arrays: LevelArrays } {
    const parents = this.#parents.subarray(0, this.#count)
    return levelOf(parents, this.parent?.path ?? '', this.parent?.elements ?? 0)
  }
}

/**
 * Builds a level of a release.
 * @param parents parent of each element, ascending
 * @param parent path of the level above, which has `parentCount` elements
 */
export function levelOf(
  parents: Uint32Array,
  parent: string,
  parentCount: number,
): { layout: LevelLayout; arrays: LevelArrays } {
  const offsets = new Uint32Array(parentCount + 1)
  for (const above of parents) offsets[above + 1] = offsets[above + 1]! + 1
  const words = new Int32Array((parentCount + 31) >>> 5)
  let irregular = 0
  for (let above = 0; above < parentCount; above++) {
    if (offsets[above + 1] !== 1) {
      irregular++
      words[above >>> 5] = words[above >>> 5]! | (1 << (above & 31))
    }
    offsets[above + 1] = offsets[above]! + offsets[above + 1]!
  }
  return {
    layout: {
      parent,
      elements: parents.length,
      oneToOne: irregular === 0,
      irregular,
    },
    arrays: { offsets, parents, irregular: words },
  }
}

/**
 * Returns the row of each element. Undefined if elements and rows have the same numbers on all levels.
 * @param rowOfParent row of each element of the parent level
 */
export function rowsOf(
  { parents }: LevelArrays,
  oneToOne: boolean,
  rowOfParent: Uint32Array | undefined,
): Uint32Array | undefined {
  if (!rowOfParent) return oneToOne ? undefined : parents
  if (oneToOne) return rowOfParent
  return parents.map((parent) => rowOfParent[parent]!)
}
