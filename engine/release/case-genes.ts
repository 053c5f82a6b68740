import type { GeneHits } from './gene-hits.ts'
import type { LinkArrays } from './layout.ts'

/** Occurrences of changes in cases. */
export interface Occurrences {
  /** Occurrences of each case. */
  readonly byCase: Pick<LinkArrays, 'reverseOffsets' | 'reverseElements'>
  /** Row of the change + 1, by occurrence; 0 when its record is not there. */
  readonly changes: Uint32Array
  readonly hits: GeneHits
}

/** What changes of one kind are to the pairs: elements in ascending order of pairs. */
export interface PairElements {
  /** Pair of each element. */
  readonly parents: Uint32Array
  /** Row of the occurrence + 1. */
  readonly occurrences: Uint32Array
  /** Row of the run of consequences + 1; 0 where changes have no runs. */
  readonly effects: Uint32Array
}

/** Distinct pairs of a case and a gene that some change of the case hits, by case, then by gene. */
export interface Pairs {
  /** Row of the case + 1, by pair. */
  readonly cases: Uint32Array
  /** Row of the gene + 1, by pair. */
  readonly genes: Uint32Array
  /** In the order of the kinds that were given. */
  readonly elements: readonly PairElements[]
}

export interface PairSizes {
  readonly cases: number
  readonly genes: number
}

/**
 * Gathers the pairs, going through the occurrences of each case twice: once to see which genes are
 * hit how often, once to put each hit into its place. Beside what it returns it needs three numbers
 * per gene and kind.
 */
export function gatherPairs(kinds: readonly Occurrences[], sizes: PairSizes): Pairs {
  const total = countPairs(kinds, sizes)
  const cases = new Uint32Array(total.pairs)
  const genes = new Uint32Array(total.pairs)
  const gatherers = kinds.map((kind, i) => new Gatherer(kind, total.elements[i] ?? 0, sizes))
  const seen = new Uint32Array(sizes.genes + 1)
  const hit = new Uint32Array(sizes.genes)
  let pairs = 0
  for (let row = 0; row < sizes.cases; row++) {
    let count = 0
    for (const gatherer of gatherers) {
      gatherer.count(row, (gene) => {
        if (seen[gene] === row + 1) return
        seen[gene] = row + 1
        hit[count++] = gene
      })
    }
    if (count === 0) continue
    const own = hit.subarray(0, count).sort()
    for (const gene of own) {
      cases[pairs] = row + 1
      genes[pairs] = gene
      for (const gatherer of gatherers) gatherer.reserve(gene, pairs)
      pairs++
    }
    for (const gatherer of gatherers) gatherer.place(row)
  }
  return { cases, genes, elements: gatherers.map(({ elements }) => elements) }
}

function countPairs(kinds: readonly Occurrences[], { cases, genes }: PairSizes) {
  const seen = new Uint32Array(genes + 1)
  const elements = kinds.map(() => 0)
  let pairs = 0
  for (let row = 0; row < cases; row++) {
    for (const [i, kind] of kinds.entries()) {
      let count = 0
      eachHit(kind, row, (gene) => {
        count++
        if (seen[gene] === row + 1) return
        seen[gene] = row + 1
        pairs++
      })
      elements[i] = (elements[i] as number) + count
    }
  }
  return { pairs, elements }
}

/** Puts the changes of one kind in order of pairs. */
class Gatherer {
  readonly elements: PairElements
  readonly #kind: Occurrences
  /** By gene, for the case under way: hits so far; the next place; the pair. */
  readonly #counts: Uint32Array
  readonly #next: Uint32Array
  readonly #pairs: Uint32Array
  #reserved = 0

  constructor(kind: Occurrences, size: number, { genes }: PairSizes) {
    this.#kind = kind
    this.#counts = new Uint32Array(genes + 1)
    this.#next = new Uint32Array(genes + 1)
    this.#pairs = new Uint32Array(genes + 1)
    this.elements = {
      parents: new Uint32Array(size),
      occurrences: new Uint32Array(size),
      effects: new Uint32Array(kind.hits.effects ? size : 0),
    }
  }

  count(row: number, see: (gene: number) => void): void {
    eachHit(this.#kind, row, (gene) => {
      this.#counts[gene] = (this.#counts[gene] as number) + 1
      see(gene)
    })
  }

  reserve(gene: number, pair: number): void {
    this.#pairs[gene] = pair
    this.#next[gene] = this.#reserved
    this.#reserved += this.#counts[gene] as number
    this.#counts[gene] = 0
  }

  place(row: number): void {
    const { parents, occurrences, effects } = this.elements
    const from = this.#kind.hits.effects
    eachHit(this.#kind, row, (gene, occurrence, hit) => {
      const at = this.#next[gene] as number
      this.#next[gene] = at + 1
      parents[at] = this.#pairs[gene] as number
      occurrences[at] = occurrence + 1
      if (from) effects[at] = from[hit] as number
    })
  }
}

function eachHit(
  { byCase, changes, hits }: Occurrences,
  row: number,
  see: (gene: number, occurrence: number, hit: number) => void,
): void {
  const end = byCase.reverseOffsets[row + 1] as number
  for (let i = byCase.reverseOffsets[row] as number; i < end; i++) {
    const occurrence = byCase.reverseElements[i] as number
    const change = changes[occurrence] as number
    if (change === 0) continue
    const last = hits.offsets[change] as number
    for (let hit = hits.offsets[change - 1] as number; hit < last; hit++) {
      see(hits.genes[hit] as number, occurrence, hit)
    }
  }
}
