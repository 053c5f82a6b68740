import { type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { mostFrequent, type NameCount } from '../../shared/input/name-counts.ts'
import { geneIn } from './gene-facts.ts'

/** Gene symbols that are not in the gene model. */
export interface SymbolReport {
  readonly count: number
  /** The most frequent symbols, each with the number of variants that name it. */
  readonly first: readonly NameCount[]
  /** Symbols that are dates, because a spreadsheet has converted symbols such as MARCH1 and SEPT2. */
  readonly dates: readonly string[]
}

const DATE =
  /^(\d{1,2}-(mar|sep|sept|dec|oct|apr|nov|feb)|(mar|sep|dec|oct)-\d{1,2}|\d{4}[-/]\d{2}[-/]\d{2}.*)$/i

/** Returns whether a symbol is a date into which a spreadsheet has converted a symbol such as MARCH1 or SEPT2. */
export const isSymbolDate = (symbol: string): boolean => DATE.test(symbol)

const NUMBER = /^\d+(\.\d+)?(e\+?\d+)?$/i

/** Phrase of the report for symbols that a spreadsheet or another program has converted. */
export const SPREADSHEET_SYMBOL = 'a date or number in place of a symbol'

/**
 * Returns whether a symbol is a date or a number. The number may be the day of a date, the position of a row, or
 * the result of converting a symbol such as 2310009E13RIK.
 */
export const isSpreadsheetSymbol = (symbol: string): boolean =>
  isSymbolDate(symbol) || NUMBER.test(symbol)

/** Counts the gene symbols of variants that are not in the gene model. */
export class UnknownSymbols {
  readonly #counts = new Map<string, number>()

  note(variant: JsonObject): void {
    for (const consequence of objectsIn(variant.consequence)) {
      const gene = geneIn(consequence) ?? objectsIn(consequence.gene)[0]
      const symbol = textIn(gene?.symbol)
      if (symbol === undefined || textIn(gene?.gene_id) !== undefined) continue
      this.#counts.set(symbol, (this.#counts.get(symbol) ?? 0) + 1)
    }
  }

  get report(): SymbolReport {
    const dates = [...this.#counts.keys()].filter(isSymbolDate).sort()
    return { count: this.#counts.size, first: mostFrequent(this.#counts), dates }
  }
}
