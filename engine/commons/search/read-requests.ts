import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { createResolver, type Resolver } from '../datasets/resolver.ts'
import { type SelectionWarnings, selectFacets, sortKeys } from '../datasets/select.ts'
import type { Filter } from '../query/filter-tree.ts'
import { withHistograms } from '../query/histograms.ts'
import type { Facet, Query } from '../query/query.ts'
import type { Projection } from '../render/projection.ts'
import { type RequestedFilters, readRecordFilter } from './record-filter.ts'
import { shortKey } from './request-key.ts'
import type { Selections } from './selections.ts'

/** Request for a list: which records, in which order, and which fields. */
export interface ListRequest extends RequestedFilters {
  readonly fields?: readonly string[] | undefined
  readonly expand?: readonly string[] | undefined
  readonly facets?: readonly string[] | undefined
  /** Numeric or date fields to count by interval, as `field:interval` (data-commons.md 11.40). */
  readonly histograms?: readonly string[] | undefined
  readonly sort?: readonly string[] | undefined
  readonly size: number
  readonly from: number
}

/** Returns a cache key of all members of the request. The return type requires each of `ListRequest`. */
export function listPart(request: ListRequest): Readonly<Record<keyof ListRequest, unknown>> {
  const { filters, caseFilters, fields, expand, facets, histograms, sort, from, size } = request
  return { filters, caseFilters, fields, expand, facets, histograms, sort, from, size }
}

/** A parsed list request, independent of the release. */
interface ReadRequest {
  readonly query: Query
  readonly projection: Projection
  /** Warnings about unknown names, keyed by parameter. */
  readonly unknown: SelectionWarnings
}

/** Maximum number of parsed requests to cache. Portal pages repeat the same ones. */
const MAX_KEPT = 256
/** Maximum length of a cache key in characters. For a longer request, parsing is a small part of the time. */
const MAX_KEY_LENGTH = 2000

/** Parses list requests and caches the most recently used. Equal requests return the same object. */
export class ReadRequests {
  readonly #selections: Selections
  readonly #turns: LoopTurns | undefined
  readonly #resolvers = new Map<DatasetName, Resolver>()
  readonly #known = new LruCache<ReadRequest>(MAX_KEPT)

  constructor(selections: Selections, turns?: LoopTurns) {
    this.#turns = turns
    this.#selections = selections
  }

  /**
   * Returns the parsed request.
   * @throws EngineError bad_input with the place of the error
   */
  async of(name: DatasetName, request: ListRequest): Promise<ReadRequest> {
    const key = shortKey([name, listPart(request)], MAX_KEY_LENGTH)
    const known = key === undefined ? undefined : this.#known.peek(key)
    const read = known ?? (await this.#read(name, request))
    if (key !== undefined) this.#known.of(key, () => read)
    return read
  }

  /**
   * Parses the filters of a request.
   * @throws EngineError bad_input with the place of the error
   */
  filter(
    name: DatasetName,
    asked: RequestedFilters,
    facets: readonly Facet[] = [],
  ): Promise<Filter | undefined> {
    return readRecordFilter(name, asked, this.#resolverOf(name), { turns: this.#turns, facets })
  }

  async #read(name: DatasetName, request: ListRequest): Promise<ReadRequest> {
    const dataset = datasetOf(name)
    const resolver = this.#resolverOf(name)
    const { facets: plain, warning } = selectFacets(request.facets ?? [], resolver)
    const counted = withHistograms(plain, request.histograms ?? [], resolver)
    const filter = await this.filter(name, request, counted.facets)
    const { projection, warnings } = this.#selections.of(dataset, request, 'list')
    const sort = sortKeys(dataset, request.sort ?? [])
    const { from, size } = request
    const query: Query = { dataset: name, filter, facets: counted.facets, sort, from, size }
    const unknown = {
      ...warnings,
      ...(warning && { facets: warning }),
      ...(counted.warning && { histograms: counted.warning }),
    }
    return { query, projection, unknown }
  }

  #resolverOf(name: DatasetName): Resolver {
    const known = this.#resolvers.get(name) ?? createResolver(datasetOf(name))
    this.#resolvers.set(name, known)
    return known
  }
}
