import { EngineError } from '../../shared/errors.ts'
import type { Diagnosis } from './diagnosis.ts'
import { GROUPS } from './groups.ts'
import type { HematopoieticData } from './hematopoietic-data.ts'
import { compileHematopoietic, type MorphologyPairs, placeOfText } from './hematopoietic-tables.ts'
import { Module } from './module.ts'
import { placement } from './placement.ts'
import type { MphGroup } from './result.ts'

interface RulesOptions {
  readonly hematopoietic: HematopoieticData
  /** Returns the current calendar year. Later years of diagnosis are invalid. */
  readonly yearNow: () => number
}

/** All groups of rules, compiled once. They have no state, so any number of comparisons may share them. */
export class Rules {
  /** Returns the current calendar year. */
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

  /** Returns the group ids in the order in which the groups are tried. */
  groups(): readonly string[] {
    return [...this.#modules.keys()]
  }

  /**
   * Returns a group of rules.
   * @throws EngineError `not_found` naming the id, if there is no such group
   */
  group(id: string): MphGroup {
    const module = this.#modules.get(id)
    if (!module) throw new EngineError('not_found', `there is no group of rules "${id}"`)
    return module.describe()
  }

  /** Returns the rules of a diagnosis year for a valid tumor. The tumor's own year may be another. */
  moduleOf(diagnosis: Diagnosis, year: number): Module | undefined {
    return this.#moduleOf(diagnosis, year)
  }

  /** Returns whether the table for 2010 and later lists a morphology (`9870/3`) as the same as another. */
  listsAsSame(morphology: string, other: string, year: number): boolean {
    return this.#samePrimary2010.matches(placeOfText(morphology), placeOfText(other), year)
  }
}
