import type { HematopoieticData } from './hematopoietic-data.ts'
import type { MphGroup, MphResult } from './result.ts'
import type { TumourPair } from './tumour.ts'

export interface RulesOptions {
  readonly hematopoietic: HematopoieticData
  /** The current calendar year; years after it are no years of diagnosis. */
  readonly yearNow: () => number
}

/** All groups of rules, compiled once; holds no tumour, so that any number of pairs may use it. */
export class Rules {
  readonly #options: RulesOptions

  constructor(options: RulesOptions) {
    this.#options = options
  }

  /** Ids in the order in which the groups are tried. */
  groups(): readonly string[] {
    throw new Error(`not written at ${this.#options.yearNow()}`)
  }

  /** @throws EngineError not_found naming the id */
  group(id: string): MphGroup {
    throw new Error(`not written: ${id}`)
  }
}

/** One disease or two? Never throws for a pair that `parsePair` has let pass (mph-rules.md 2-4). */
export function comparePair(rules: Rules, pair: TumourPair): MphResult {
  throw new Error(`not written: ${rules} ${pair}`)
}

/** The tables that come with the program. */
export function shippedHematopoietic(): HematopoieticData {
  throw new Error('not written')
}

/**
 * One table out of its CSV text, recognised by its head line; lay it over the others.
 * @param name the file's name, for errors
 * @throws EngineError bad_input naming file, line and column
 */
export function parseHematopoietic(name: string, text: string): Partial<HematopoieticData> {
  throw new Error(`not written: ${name} ${text}`)
}
