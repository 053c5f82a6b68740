import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { Warnings } from '../../shared/input/warnings.ts'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { createResolver, type Resolver } from '../datasets/resolver.ts'
import { type FilterReading, readFilter } from '../query/filter.ts'
import type { Filter } from '../query/filter-tree.ts'
import { warnOfBounds } from '../search/value-warnings.ts'

/** Replaces references to sets in a filter by the sets' current versions. */
export type WithSets = (filters: unknown) => Promise<unknown>

/**
 * Parses the filters of one document. A variable that is used several times is parsed once per dataset. Each
 * filter has the limits of a filter in REST.
 */
export class FilterReader {
  readonly #turns: LoopTurns | undefined
  readonly #withSets: WithSets | undefined
  readonly #resolvers = new Map<DatasetName, Resolver>()
  readonly #texts = new Map<object, string>()
  readonly #read = new Map<string, Promise<Filter | undefined>>()
  readonly #warned = new Map<string, string>()
  #refersToSets = false

  constructor({
    turns,
    withSets,
  }: { readonly turns: LoopTurns | undefined; readonly withSets: WithSets | undefined }) {
    this.#turns = turns
    this.#withSets = withSets
  }

  /** Whether a filter refers to a set, which may change while its id stays. */
  get refersToSets(): boolean {
    return this.#refersToSets
  }

  /** Warnings about the filters, by parameter. A filter that is read several times is warned of once. */
  get warnings(): Readonly<Record<string, string>> {
    const warnings = new Warnings()
    for (const [text, parameter] of this.#warned) warnings.add(parameter, text)
    return warnings.texts
  }

  resolverOf(dataset: DatasetName): Resolver {
    const known = this.#resolvers.get(dataset) ?? createResolver(DATASETS[dataset])
    this.#resolvers.set(dataset, known)
    return known
  }

  /** Returns a key that is equal for equal filters. */
  textOf(filters: unknown): string {
    if (typeof filters !== 'object' || filters === null) return JSON.stringify(filters ?? null)
    const text = this.#texts.get(filters) ?? JSON.stringify(filters)
    this.#texts.set(filters, text)
    return text
  }

  /**
   * Parses a filter on records of a dataset.
   * @throws EngineError bad_input naming the place, for an invalid filter
   */
  own(dataset: DatasetName, filters: unknown): Promise<Filter | undefined> {
    const { resolveFilter: resolve, nearest } = this.resolverOf(dataset)
    return this.read(dataset, filters, { records: dataset, resolve, nearest })
  }

  /** Parses a filter on the cases of records. @throws EngineError bad_input naming the place */
  cohort(dataset: DatasetName, filters: unknown): Promise<Filter | undefined> {
    const { resolveCase: resolve, nearestCase: nearest } = this.resolverOf(dataset)
    const reading = { records: dataset, resolve, nearest }
    return this.read(`${dataset} cases`, filters, reading, 'case_filters')
  }

  /** @param names identifies how names are resolved, for caching */
  read(
    names: string,
    filters: unknown,
    reading: Pick<FilterReading, 'nearest' | 'records' | 'resolve'>,
    at = 'filters',
  ): Promise<Filter | undefined> {
    const key = `${names}\n${this.textOf(filters)}`
    const known = this.#read.get(key) ?? this.#readNow(filters, reading, at)
    this.#read.set(key, known)
    return known
  }

  async #readNow(
    filters: unknown,
    reading: Pick<FilterReading, 'nearest' | 'records' | 'resolve'>,
    at: string,
  ): Promise<Filter | undefined> {
    const given = await this.withSets(filters)
    const filter = await readFilter(given, { ...reading, turns: this.#turns }, at)
    const own = new Warnings()
    warnOfBounds(filter, own)
    for (const [parameter, text] of Object.entries(own.texts)) this.#warned.set(text, parameter)
    return filter
  }

  /** Returns a filter with its sets resolved. Like in REST, an empty list is no filter. */
  async withSets(filters: unknown): Promise<unknown> {
    if (Array.isArray(filters) && filters.length === 0) return undefined
    const given = this.#withSets && filters ? await this.#withSets(filters) : filters
    if (given !== filters) this.#refersToSets = true
    return given
  }
}
