import { isObject, type JsonObject, textIn } from '../../shared/input/json-value.ts'

/** Where the gene model has a gene. */
export interface GenePlace {
  readonly chromosome: string
  readonly start: number
  readonly end: number
}

/** What variants take over of the release's genes. */
export class GeneFacts {
  readonly #bySymbol = new Map<string, string>()
  readonly #symbols = new Map<string, string>()
  readonly #places = new Map<string, GenePlace>()
  readonly #properties = new Map<string, JsonObject>()

  get isEmpty(): boolean {
    return this.#bySymbol.size === 0
  }

  add(id: string, gene: JsonObject): void {
    const symbol = textIn(gene.symbol)
    const chromosome = textIn(gene.gene_chromosome)
    if (symbol !== undefined && chromosome !== undefined) {
      for (const key of [keyOf(symbol, chromosome), keyOf(symbol)]) {
        // A symbol that several genes bear, there or of all, identifies none of them.
        this.#bySymbol.set(key, this.#bySymbol.has(key) ? '' : id)
      }
      this.#symbols.set(id, symbol)
    }
    const { gene_start: start, gene_end: end } = gene
    if (chromosome !== undefined && typeof start === 'number' && typeof end === 'number') {
      this.#places.set(id, { chromosome, start, end })
    }
    const { biotype, is_cancer_gene_census } = gene
    const properties: JsonObject = {}
    if (textIn(biotype) !== undefined) properties.biotype = biotype
    if (typeof is_cancer_gene_census === 'boolean') {
      properties.is_cancer_gene_census = is_cancer_gene_census
    }
    if (Object.keys(properties).length > 0) this.#properties.set(id, properties)
  }

  /**
   * The only gene of a symbol, on a chromosome with or without `chr` where one is given; `undefined`
   * when none is meant.
   */
  idOf(symbol: string, chromosome?: string): string | undefined {
    return this.#bySymbol.get(keyOf(symbol, chromosome)) || undefined
  }

  symbolOf(id: string): string | undefined {
    return this.#symbols.get(id)
  }

  /** For what is of the build of the gene model, or has no place of its own. */
  placeOf(id: string): GenePlace | undefined {
    return this.#places.get(id)
  }

  /** Properties that hold for any build of the reference: not where the gene lies. */
  propertiesOf(id: string): JsonObject | undefined {
    return this.#properties.get(id)
  }
}

const keyOf = (symbol: string, chromosome = '') =>
  `${symbol} ${chromosome.replace(/^chr/, '').toUpperCase()}`

/** The gene that a consequence hits. */
export function geneIn(consequence: JsonObject): JsonObject | undefined {
  const { transcript } = consequence
  return isObject(transcript) && isObject(transcript.gene) ? transcript.gene : undefined
}
