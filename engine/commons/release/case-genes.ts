import { grown } from '../../shared/arrays/growing.ts'
import type { GeneHits } from './gene-hits.ts'
import type { LinkArrays } from './layout.ts'

/** Occurrences of changes in cases. */
export interface Occurrences {
  /** Occurrences of each case. */
  readonly byCase: Pick<LinkArrays, 'reverseOffsets' | 'reverseElements'>
  /** For each occurrence, the row of its change plus one. 0 if the change has no record. */
  readonly changes: Uint32Array
  readonly hits: GeneHits
}

/** Elements of the pairs for one kind of change, in ascending order of their pairs. */
export interface PairElements {
  /** For each element, its pair. */
  readonly parents: Uint32Array
  /** For each element, the row of its occurrence plus one. */
  readonly occurrences: Uint32Array
  /** For each element, the run of consequences plus one. 0 for changes without runs. */
  readonly effects: Uint32Array
}

/** Distinct pairs of a case and a gene that a change of the case affects, ordered by case, then by gene. */
interface Pairs {
  /** For each pair, the row of the case plus one. */
  readonly cases: Uint32Array
  /** For each pair, the row of the gene plus one. 0 for all genes without a record. */
  readonly genes: Uint32Array
  /** Elements of each kind, in the order of the given kinds. */
  readonly elements: readonly PairElements[]
}

interface PairSizes {
  readonly cases: number
  readonly genes: number
}

/**
 * Gathers the pairs case by case. Lists the hits of a case's occurrences, sorts the genes, and appends each hit
 * to the hits of its gene. Needs two numbers per gene and kind in addition to the result.
 */
export function gatherPairs(kinds: readonly Occurrences[], sizes: PairSizes): Pairs {
  let cases = new Uint32Array(0)
  let genes = new Uint32Array(0)
  let pairs = 0
  const gatherers = kinds.map((kind) => new Gatherer(kind, sizes))
  const hit = new Uint32Array(sizes.genes + 1)
  const seen = new Uint32Array(sizes.genes + 1)
  for (let row = 0; row < sizes.cases; row++) {
    let count = 0
    for (const gatherer of gatherers) {
      for (const gene of gatherer.read(row)) {
        if (seen[gene] === row + 1) continue
        seen[gene] = row + 1
        hit[count++] = gene
      }
    }
    if (count === 0) continue
    if (pairs + count > cases.length) {
      cases = grown(cases, pairs + count)
      genes = grown(genes, pairs + count)
    }
    genes.set(hit.subarray(0, count).sort(), pairs)
    cases.fill(row + 1, pairs, pairs + count)
    for (const gatherer of gatherers) gatherer.place(genes.subarray(pairs, pairs + count), pairs)
    pairs += count
  }
  return {
    cases: cases.subarray(0, pairs),
    genes: genes.subarray(0, pairs),
    elements: gatherers.map((gatherer) => gatherer.finish()),
  }
}

/** Sorts the changes of one kind by pair. */
class Gatherer {
  readonly #kind: Occurrences
  /** Hits of the current case, and their number by gene. */
  #hits = new Uint32Array(0)
  #genes = new Uint32Array(0)
  #occurrences = new Uint32Array(0)
  #count = 0
  readonly #counts: Uint32Array
  /** Position of the next hit, by gene. */
  readonly #next: Uint32Array
  #parents = new Uint32Array(0)
  #placed = new Uint32Array(0)
  #effects = new Uint32Array(0)
  #length = 0

  constructor(kind: Occurrences, { genes }: PairSizes) {
    this.#kind = kind
    this.#counts = new Uint32Array(genes + 1)
    this.#next = new Uint32Array(genes + 1)
  }

  /** Lists the hits of a case. Returns their genes. */
  read(row: number): Uint32Array {
    const { byCase, changes, hits } = this.#kind
    let count = 0
    const end = byCase.reverseOffsets[row + 1]!
    for (let i = byCase.reverseOffsets[row]!; i < end; i++) {
      const occurrence = byCase.reverseElements[i]!
      const change = changes[occurrence]!
      if (change === 0) continue
      const last = hits.offsets[change]!
      const first = hits.offsets[change - 1]!
      if (count + last - first > this.#hits.length) this.#growLists(count + last - first)
      for (let hit = first; hit < last; hit++) {
        const gene = hits.genes[hit]!
        this.#hits[count] = hit
        this.#genes[count] = gene
        this.#occurrences[count++] = occurrence + 1
        this.#counts[gene] = this.#counts[gene]! + 1
      }
    }
    this.#count = count
    return this.#genes.subarray(0, count)
  }

  #growLists(least: number): void {
    this.#hits = grown(this.#hits, least)
    this.#genes = grown(this.#genes, least)
    this.#occurrences = grown(this.#occurrences, least)
  }

  /** Places the listed hits. The case's genes belong to the pairs from `pair` on. */
  place(genes: Uint32Array, pair: number): void {
    const { effects } = this.#kind.hits
    const end = this.#length + this.#count
    if (end > this.#placed.length) {
      this.#parents = grown(this.#parents, end)
      this.#placed = grown(this.#placed, end)
      if (effects) this.#effects = grown(this.#effects, end)
    }
    for (let i = 0; i < genes.length; i++) {
      const gene = genes[i]!
      const next = this.#length + this.#counts[gene]!
      this.#parents.fill(pair + i, this.#length, next)
      this.#next[gene] = this.#length
      this.#counts[gene] = 0
      this.#length = next
    }
    for (let i = 0; i < this.#count; i++) {
      const gene = this.#genes[i]!
      const at = this.#next[gene]!
      this.#next[gene] = at + 1
      this.#placed[at] = this.#occurrences[i]!
      if (effects) this.#effects[at] = effects[this.#hits[i]!] as number
    }
  }

  finish(): PairElements {
    return {
      parents: this.#parents.subarray(0, this.#length),
      occurrences: this.#placed.subarray(0, this.#length),
      effects: this.#effects.subarray(0, this.#kind.hits.effects ? this.#length : 0),
    }
  }
}
