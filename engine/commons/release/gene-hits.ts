import type { Codes } from './layout.ts'

/** Genes that each change hits. */
export interface GeneHits {
  /** changes + 1 numbers: hits of change c are offsets[c] … offsets[c + 1] - 1. */
  readonly offsets: Uint32Array
  /** Row of the gene + 1, by hit; 0 for genes without a record. */
  readonly genes: Uint32Array
  /** Row of the run of consequences + 1, by hit; of simple mutations alone. */
  readonly effects?: Uint32Array
}

/** Consequences of changes: which change each belongs to, and the gene that it hits. */
export interface Consequences {
  /** changes + 1 numbers. */
  readonly offsets: Uint32Array
  /** Row of the gene + 1, by consequence; 0 for a gene without a record. */
  readonly genes: Uint32Array
}

/** Consecutive consequences of one change with one gene. */
export interface Runs {
  /** Number of the run that each consequence is in. */
  readonly runs: Uint32Array
  readonly count: number
}

/**
 * Genes of consequences.
 * @param rowOfCode row of the gene + 1 by the code of its id
 */
export function genesOf(
  { codes, offsets }: { readonly codes: Codes; readonly offsets?: Uint32Array },
  rowOfCode: Uint32Array,
): Uint32Array {
  const genes = new Uint32Array(offsets ? offsets.length - 1 : codes.length)
  for (let i = 0; i < genes.length; i++) {
    // A consequence that names several genes is taken to mean the first of them.
    const isNone = offsets !== undefined && offsets[i] === offsets[i + 1]
    const code = isNone ? 0 : (codes[offsets ? offsets[i]! : i] as number)
    genes[i] = rowOfCode[code]!
  }
  return genes
}

/** Every consequence is in a run, those of unknown genes too, so that runs number all of them. */
export function runsOf({ offsets, genes }: Consequences): Runs {
  const runs = new Uint32Array(genes.length)
  let count = 0
  for (let change = 0; change + 1 < offsets.length; change++) {
    const from = offsets[change]!
    const end = offsets[change + 1]!
    for (let i = from; i < end; i++) {
      if (i === from || genes[i] !== genes[i - 1]) count++
      runs[i] = count - 1
    }
  }
  return { runs, count }
}

/** A hit for each run. */
export function hitsOfRuns({ offsets, genes }: Consequences, { runs, count }: Runs): GeneHits {
  const found = new Hits(offsets.length, count)
  const effects = new Uint32Array(count)
  for (let change = 0; change + 1 < offsets.length; change++) {
    const end = offsets[change + 1]!
    for (let i = offsets[change]!; i < end; i++) {
      // Runs of one change never touch those of the next.
      if (i > 0 && runs[i] === runs[i - 1]) continue
      effects[found.count] = runs[i]! + 1
      found.add(genes[i]!)
    }
    found.close(change)
  }
  return { ...found.finish(), effects }
}

/** A hit for each gene of a change, once. */
export function hitsOfGenes({ offsets, genes }: Consequences, geneCount: number): GeneHits {
  const found = new Hits(offsets.length, genes.length)
  const lastChange = new Uint32Array(geneCount + 1)
  for (let change = 0; change + 1 < offsets.length; change++) {
    const end = offsets[change + 1]!
    for (let i = offsets[change]!; i < end; i++) {
      const gene = genes[i]!
      if (lastChange[gene] === change + 1) continue
      lastChange[gene] = change + 1
      found.add(gene)
    }
    found.close(change)
  }
  return found.finish()
}

/** Hits under way. */
class Hits {
  readonly #offsets: Uint32Array
  readonly #genes: Uint32Array
  #count = 0

  constructor(offsets: number, most: number) {
    this.#offsets = new Uint32Array(offsets)
    this.#genes = new Uint32Array(most)
  }

  get count(): number {
    return this.#count
  }

  add(gene: number): void {
    this.#genes[this.#count++] = gene
  }

  /** Ends the list of a change. */
  close(change: number): void {
    this.#offsets[change + 1] = this.#count
  }

  finish(): GeneHits {
    return { offsets: this.#offsets, genes: this.#genes.subarray(0, this.#count) }
  }
}
