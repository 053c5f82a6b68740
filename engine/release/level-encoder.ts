import { grown } from './growing.ts'
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
    const parentCount = this.parent?.elements ?? 0
    const parents = this.#parents.subarray(0, this.#count)
    const offsets = new Uint32Array(parentCount + 1)
    for (const parent of parents) offsets[parent + 1] = (offsets[parent + 1] as number) + 1
    const words = new Int32Array((parentCount + 31) >>> 5)
    let irregular = 0
    for (let parent = 0; parent < parentCount; parent++) {
      if (offsets[parent + 1] !== 1) {
        irregular++
        words[parent >>> 5] = (words[parent >>> 5] as number) | (1 << (parent & 31))
      }
      offsets[parent + 1] = (offsets[parent] as number) + (offsets[parent + 1] as number)
    }
    return {
      layout: {
        parent: this.parent?.path ?? '',
        elements: this.#count,
        oneToOne: irregular === 0,
        irregular,
      },
      arrays: { offsets, parents, irregular: words },
    }
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
  return parents.map((parent) => rowOfParent[parent] as number)
}
