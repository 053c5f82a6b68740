import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { createResolver, type Resolver } from '../datasets/resolver.ts'
import { type FilterReading, readFilter } from '../query/filter.ts'
import type { Filter } from '../query/filter-tree.ts'

/** Puts the members of sets in place of `set_id:` values; the filter is as a request has it. */
export type WithSets = (filters: unknown) => Promise<unknown>

/**
 * Reads the filters of one document. What the same variable says in several places is read once for each
 * dataset that is asked by it; each is bounded as one of REST is.
 */
export class FilterReader {
  readonly #turns: LoopTurns | undefined
  readonly #withSets: WithSets | undefined
  readonly #resolvers = new Map<DatasetName, Resolver>()
  readonly #texts = new Map<object, string>()
  readonly #read = new Map<string, Promise<Filter | undefined>>()
  #namesSets = false

  constructor({
    turns,
    withSets,
  }: { readonly turns: LoopTurns | undefined; readonly withSets: WithSets | undefined }) {
    this.#turns = turns
    this.#withSets = withSets
  }

  /** Whether a filter named a set. A set may change while its name stays. */
  get namesSets(): boolean {
    return this.#namesSets
  }

  resolverOf(dataset: DatasetName): Resolver {
    const known = this.#resolvers.get(dataset) ?? createResolver(DATASETS[dataset])
    this.#resolvers.set(dataset, known)
    return known
  }

  /** Returns a text that is equal for filters that say the same. */
  textOf(filters: unknown): string {
    if (typeof filters !== 'object' || filters === null) return JSON.stringify(filters ?? null)
    const text = this.#texts.get(filters) ?? JSON.stringify(filters)
    this.#texts.set(filters, text)
    return text
  }

  /**
   * Reads the filter of records of a dataset.
   * @throws EngineError bad_input naming the place
   */
  own(dataset: DatasetName, filters: unknown): Promise<Filter | undefined> {
    const { resolveFilter: resolve, nearest } = this.resolverOf(dataset)
    return this.read(dataset, filters, { records: dataset, resolve, nearest })
  }

  /** Reads the filter of their cases. @throws EngineError bad_input naming the place */
  cohort(dataset: DatasetName, filters: unknown): Promise<Filter | undefined> {
    const { resolveCase: resolve, nearestCase: nearest } = this.resolverOf(dataset)
    const reading = { records: dataset, resolve, nearest }
    return this.read(`${dataset} cases`, filters, reading, 'case_filters')
  }

  /** @param names says how fields are found: equal for equal ways */
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
    return readFilter(given, { ...reading, turns: this.#turns }, at)
  }

  /** Returns a filter with the sets that it names. */
  async withSets(filters: unknown): Promise<unknown> {
    const given = this.#withSets && filters ? await this.#withSets(filters) : filters
    if (given !== filters) this.#namesSets = true
    return given
  }
}
