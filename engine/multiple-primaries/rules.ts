import type { HematopoieticData } from './hematopoietic-data.ts'
import type { MphGroup } from './result.ts'

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
