/** Disjoint-set forest with union by size and path halving. */
export class DisjointSets<Thing extends object> {
  readonly #parents = new Map<Thing, Thing>()
  readonly #sizes = new Map<Thing, number>()

  /** Returns the representative of the set that contains a thing. It may change when sets are joined. */
  find(thing: Thing): Thing {
    let at = thing
    for (;;) {
      const parent = this.#parents.get(at)
      if (parent === undefined) return at
      const above = this.#parents.get(parent)
      if (above === undefined) return parent
      this.#parents.set(at, above)
      at = above
    }
  }

  join(one: Thing, other: Thing): void {
    const [first, second] = [this.find(one), this.find(other)]
    if (first === second) return
    const [firstSize, secondSize] = [this.#sizes.get(first) ?? 1, this.#sizes.get(second) ?? 1]
    const [large, small] = firstSize < secondSize ? [second, first] : [first, second]
    this.#parents.set(small, large)
    this.#sizes.set(large, firstSize + secondSize)
  }
}
