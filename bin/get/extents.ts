/** Byte range of a file, 0-based and half-open. */
export type Extent = readonly [start: number, end: number]

/** The bytes of a file that are present, as a minimal sorted list of extents. */
export class Extents {
  #list: Extent[]

  constructor(list: readonly Extent[] = []) {
    this.#list = []
    for (const each of list) this.add(each)
  }

  get list(): readonly Extent[] {
    return this.#list
  }

  get total(): number {
    return this.#list.reduce((sum, [start, end]) => sum + end - start, 0)
  }

  /** Adds an extent. It may overlap extents that are already included. */
  add([start, end]: Extent): void {
    if (end <= start) return
    const touching = this.#list.filter((each) => each[1] >= start && each[0] <= end)
    const joined: Extent = [
      Math.min(start, ...touching.map((each) => each[0])),
      Math.max(end, ...touching.map((each) => each[1])),
    ]
    const before = this.#list.filter((each) => each[1] < start)
    const after = this.#list.filter((each) => each[0] > end)
    this.#list = [...before, joined, ...after]
  }

  /** Returns the missing extents of the first `size` bytes. Each has at most `most` bytes. */
  gaps(size: number, most: number): Extent[] {
    const gaps: Extent[] = []
    let from = 0
    for (const [start, end] of [...this.#list, [size, size] as const]) {
      const until = Math.min(start, size)
      for (; from < until; from = Math.min(until, from + most)) {
        gaps.push([from, Math.min(until, from + most)])
      }
      from = Math.max(from, end)
    }
    return gaps
  }
}
