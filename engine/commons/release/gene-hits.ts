import type { Codes } from './layout.ts'

/** The genes that each change hits. */
export interface GeneHits {
  /** Start of each change's hits and the end: change c has hits offsets[c] … offsets[c + 1] - 1. */
  readonly offsets: Uint32Array
  /** For each hit, the row of the gene plus one. 0 for genes without a record. */
  readonly genes: Uint32Array
  /** For each hit, the run of consequences plus one. Only for simple mutations. */
  readonly effects?: Uint32Array
}

/** Consequences of changes, with the gene that each affects. */
export interface Consequences {
  /** Start of each change's consequences, and the end. */
  readonly offsets: Uint32Array
  /** For each consequence, the row of the gene plus one. 0 for a gene without a record. */
  readonly genes: Uint32Array
}

/** Runs of consecutive consequences of one change in the same gene. */
interface Runs {
  /** For each consequence, its run. */
  readonly runs: Uint32Array
  readonly count: number
}

/**
 * Returns the gene of each consequence.
 * @param rowOfCode row plus one of the gene, by the code of its id
 */
export function genesOf(
  { codes, offsets }: { readonly codes: Codes; readonly offsets?: Uint32Array },
  rowOfCode: Uint32Array,
): Uint32Array {
  const genes = new Uint32Array(offsets ? offsets.length - 1 : codes.length)
  for (let i = 0; i < genes.length; i++) {
    // A consequence with several genes counts only for the first.
    const isNone = offsets !== undefined && offsets[i] === offsets[i + 1]
    const code = isNone ? 0 : (codes[offsets ? offsets[i]! : i] as number)
    genes[i] = rowOfCode[code]!
  }
  return genes
}

/** Assigns every consequence to a run, even if its gene is unknown, so that runs cover all consequences. */
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

/** Returns one hit for each run. */
export function hitsOfRuns({ offsets, genes }: Consequences, { runs, count }: Runs): GeneHits {
  const found = new Hits(offsets.length, count)
  const effects = new Uint32Array(count)
  for (let change = 0; change + 1 < offsets.length; change++) {
    const end = offsets[change + 1]!
    for (let i = offsets[change]!; i < end; i++) {
      // Run numbers are never shared between changes.
      if (i > 0 && runs[i] === runs[i - 1]) continue
      effects[found.count] = runs[i]! + 1
      found.add(genes[i]!)
    }
    found.close(change)
  }
  return { ...found.finish(), effects }
}

/** Returns one hit for each distinct gene of a change. */
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

/** Collects hits. */
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
