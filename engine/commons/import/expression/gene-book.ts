import { isSymbolDate } from '../unknown-symbols.ts'
import { withoutVersion } from './gene-ids.ts'

/** A gene in the release. */
export interface KnownGene {
  readonly biotype: string | undefined
  readonly symbol: string | undefined
}

export interface GenesLeftOut {
  /** Number of genes that are not protein-coding. */
  readonly notCoding: number
  /** Number of genes whose biotype neither the release nor their file gives. */
  readonly unknown: number
  /** The first genes of unknown biotype. */
  readonly names: readonly string[]
  /** All genes of unknown biotype that are dates, into which spreadsheets convert symbols such as MARCH1. */
  readonly dates: readonly string[]
}

const MAX_NAMES = 5

const CODING = 'protein_coding'

/** Selects the genes to store, which are only the protein-coding ones (data-commons.md 6.2). */
export class GeneBook {
  readonly #known: ReadonlyMap<string, KnownGene>
  readonly #symbols = new Map<string, string>()
  readonly #notCoding = new Set<string>()
  readonly #unknown = new Set<string>()

  /** @param known genes of the release, keyed by id without version */
  constructor(known: ReadonlyMap<string, KnownGene>) {
    this.#known = known
  }

  /** Returns the id under which a gene is stored. Undefined if the gene is not stored. */
  take(id: string, type: string | undefined, symbol: string | undefined): string | undefined {
    const gene = withoutVersion(id)
    if (gene === '') return undefined
    const biotype = this.#known.get(gene)?.biotype ?? type
    if (biotype !== CODING) {
      const list = biotype ? this.#notCoding : this.#unknown
      list.add(gene)
      return undefined
    }
    this.noteSymbol(gene, symbol)
    return gene
  }

  /** Adds a symbol of a gene. The lowest of several is kept, so that the order of files does not matter. */
  noteSymbol(gene: string, symbol: string | null | undefined): void {
    if (!symbol) return
    const known = this.#symbols.get(gene)
    if (known === undefined || symbol < known) this.#symbols.set(gene, symbol)
  }

  symbolOf(gene: string): string | null {
    return this.#known.get(gene)?.symbol ?? this.#symbols.get(gene) ?? null
  }

  get leftOut(): GenesLeftOut {
    const unknown = [...this.#unknown].sort()
    return {
      notCoding: this.#notCoding.size,
      unknown: unknown.length,
      names: unknown.slice(0, MAX_NAMES),
      dates: unknown.filter(isSymbolDate),
    }
  }
}
