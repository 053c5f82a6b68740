import { isObject, type JsonObject, textIn } from '../../shared/input/json-value.ts'

/** Location of a gene in the gene model: 1-based, inclusive. */
interface GenePlace {
  readonly chromosome: string
  readonly start: number
  readonly end: number
}

/**
 * Gene data of the release that are copied into variants. A symbol that several genes have is stored with an
 * empty id, because it identifies none of them.
 */
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
        // A symbol that several genes have, on a chromosome or overall, identifies none of them.
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
   * Returns the id of the only gene with this symbol. Undefined if no gene or several genes have it.
   * @param chromosome only genes on this chromosome, with or without `chr`
   */
  idOf(symbol: string, chromosome?: string): string | undefined {
    return this.#bySymbol.get(keyOf(symbol, chromosome)) || undefined
  }

  symbolOf(id: string): string | undefined {
    return this.#symbols.get(id)
  }

  /** Returns the location of a gene. Only valid for variants on the build of the gene model. */
  placeOf(id: string): GenePlace | undefined {
    return this.#places.get(id)
  }

  /** Returns the properties of a gene that do not depend on the reference build. */
  propertiesOf(id: string): JsonObject | undefined {
    return this.#properties.get(id)
  }
}

const keyOf = (symbol: string, chromosome = '') =>
  `${symbol} ${chromosome.replace(/^chr/, '').toUpperCase()}`

/** Returns the gene affected by a consequence. */
export function geneIn(consequence: JsonObject): JsonObject | undefined {
  const { transcript } = consequence
  return isObject(transcript) && isObject(transcript.gene) ? transcript.gene : undefined
}
