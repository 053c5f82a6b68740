import { EngineError } from '../../shared/errors.ts'
import type { Diagnosis } from './diagnosis.ts'
import { GROUPS } from './groups.ts'
import type { HematopoieticData } from './hematopoietic-data.ts'
import { compileHematopoietic, type MorphologyPairs, placeOfText } from './hematopoietic-tables.ts'
import { Module } from './module.ts'
import { placement } from './placement.ts'
import type { MphGroup } from './result.ts'

export interface RulesOptions {
  readonly hematopoietic: HematopoieticData
  /** The current calendar year; years after it are no years of diagnosis. */
  readonly yearNow: () => number
}

/** All groups of rules, compiled once; holds no tumour, so that any number of pairs may use it. */
export class Rules {
  /** The current calendar year. */
  readonly yearNow: () => number
  readonly #samePrimary2010: MorphologyPairs
  readonly #modules: ReadonlyMap<string, Module>
  readonly #moduleOf: (diagnosis: Diagnosis, year: number) => Module | undefined

  constructor({ hematopoietic, yearNow }: RulesOptions) {
    const tables = compileHematopoietic(hematopoietic)
    const modules = GROUPS.map((group) => [group, new Module(group, tables)] as const)
    this.yearNow = yearNow
    this.#samePrimary2010 = tables.samePrimary2010
    this.#modules = new Map(modules.map(([, module]) => [module.id, module]))
    this.#moduleOf = placement(modules)
  }

  /** Ids in the order in which the groups are tried. */
  groups(): readonly string[] {
    return [...this.#modules.keys()]
  }

  /** @throws EngineError not_found naming the id */
  group(id: string): MphGroup {
    const module = this.#modules.get(id)
    if (!module) throw new EngineError('not_found', `there is no group of rules "${id}"`)
    return module.describe()
  }

  /** The rules for a valid tumour as if it had been diagnosed in that year. */
  moduleOf(diagnosis: Diagnosis, year: number): Module | undefined {
    return this.#moduleOf(diagnosis, year)
  }

  /** Whether the table from 2010 on lists a morphology (`9870/3`) as the same primary as another. */
  listsAsSame(morphology: string, other: string, year: number): boolean {
    return this.#samePrimary2010.matches(placeOfText(morphology), placeOfText(other), year)
  }
}
