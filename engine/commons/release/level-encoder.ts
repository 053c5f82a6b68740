import { grown } from '../../shared/arrays/growing.ts'
import type { LevelArrays, LevelLayout } from './layout.ts'

/** Gathers the elements of one level in document order. */
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

  /** The element that values belong to: the last one, since a level never lies within itself. */
  get current(): number {
    return this.#count - 1
  }

  /** Starts an element below the parent's current one. */
  open(): void {
    const at = this.#count++
    if (!this.parent) return
    if (at >= this.#parents.length) this.#parents = grown(this.#parents, at + 1)
    this.#parents[at] = this.parent.current
  }

  /** Of this level, whose parent is not the top. */
  finish(): { layout: LevelLayout; arrays: LevelArrays } {
    const parents = this.#parents.subarray(0, this.#count)
    return levelOf(parents, this.parent?.path ?? '', this.parent?.elements ?? 0)
  }
}

/**
 * A level as a release has it.
 * @param parents of each element, ascending
 * @param parent path of the level above, which has so many elements
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
 * Row of each element; `undefined` when element = row all the way up.
 * @param rowOfParent the same of the level above
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
