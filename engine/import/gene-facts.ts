import { isObject, type JsonObject, textIn } from './json-value.ts'

/** What mutations take over of the release's genes. */
export class GeneFacts {
  readonly #bySymbol = new Map<string, string>()
  readonly #properties = new Map<string, JsonObject>()

  add(id: string, gene: JsonObject): void {
    const symbol = textIn(gene.symbol)
    const chromosome = textIn(gene.gene_chromosome)
    if (symbol !== undefined && chromosome !== undefined) {
      const key = keyOf(symbol, chromosome)
      // A symbol that several genes of a chromosome bear tells none of them.
      this.#bySymbol.set(key, this.#bySymbol.has(key) ? '' : id)
    }
    const { biotype, is_cancer_gene_census } = gene
    const properties: JsonObject = {}
    if (textIn(biotype) !== undefined) properties.biotype = biotype
    if (typeof is_cancer_gene_census === 'boolean') {
      properties.is_cancer_gene_census = is_cancer_gene_census
    }
    if (Object.keys(properties).length > 0) this.#properties.set(id, properties)
  }

  /** The gene of a symbol on a chromosome, with or without `chr`; `undefined` when none is meant. */
  idOf(symbol: string, chromosome: string): string | undefined {
    return this.#bySymbol.get(keyOf(symbol, chromosome)) || undefined
  }

  /** Properties that hold for any build of the reference: not where the gene lies. */
  propertiesOf(id: string): JsonObject | undefined {
    return this.#properties.get(id)
  }
}

const keyOf = (symbol: string, chromosome: string) =>
  `${symbol} ${chromosome.replace(/^chr/, '').toUpperCase()}`

/** The gene that a consequence hits. */
export function geneIn(consequence: JsonObject): JsonObject | undefined {
  const { transcript } = consequence
  return isObject(transcript) && isObject(transcript.gene) ? transcript.gene : undefined
}
