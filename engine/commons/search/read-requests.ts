import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { createResolver, type Resolver } from '../datasets/resolver.ts'
import { type SelectionWarnings, selectFacets, sortKeys } from '../datasets/select.ts'
import type { Filter } from '../query/filter-tree.ts'
import { withHistograms } from '../query/histograms.ts'
import type { Query } from '../query/query.ts'
import type { Projection } from '../render/projection.ts'
import { type AskedFilters, readRecordFilter } from './record-filter.ts'
import { shortKey } from './request-key.ts'
import type { Selections } from './selections.ts'

/** Which records of a list, in which order, and what of them is shown. */
export interface ListRequest extends AskedFilters {
  readonly fields?: readonly string[] | undefined
  readonly expand?: readonly string[] | undefined
  readonly facets?: readonly string[] | undefined
  /** `field:interval`, numbers and dates to be counted by intervals (data-commons.md 11.40). */
  readonly histograms?: readonly string[] | undefined
  readonly sort?: readonly string[] | undefined
  readonly size: number
  readonly from: number
}

/**
 * The part of a request that its records, their order and what is shown of them depend on. A cache is keyed
 * by all of it: the type makes sure that no member of `ListRequest` is forgotten.
 */
export function listPart(request: ListRequest): Readonly<Record<keyof ListRequest, unknown>> {
  const { filters, caseFilters, fields, expand, facets, histograms, sort, from, size } = request
  return { filters, caseFilters, fields, expand, facets, histograms, sort, from, size }
}

/** What a request for a list asks for: the same whatever the release. */
export interface ReadRequest {
  readonly query: Query
  readonly projection: Projection
  /** What was named in vain, by parameter. */
  readonly unknown: SelectionWarnings
}

/** Pages of a portal ask for the same things again and again. */
const MAX_KEPT = 256
/** Characters of a request that is kept: a longer one takes long to answer, too. */
const MAX_KEY_LENGTH = 2000

/** Requests as they were read; those asked last are kept, as one object each. */
export class ReadRequests {
  readonly #selections: Selections
  readonly #turns: LoopTurns | undefined
  readonly #resolvers = new Map<DatasetName, Resolver>()
  readonly #known = new LruCache<ReadRequest>(MAX_KEPT)

  constructor(selections: Selections, turns?: LoopTurns) {
    this.#turns = turns
    this.#selections = selections
  }

  /** @throws EngineError bad_input naming the place */
  async of(name: DatasetName, request: ListRequest): Promise<ReadRequest> {
    const key = shortKey([name, listPart(request)], MAX_KEY_LENGTH)
    const known = key === undefined ? undefined : this.#known.peek(key)
    const read = known ?? (await this.#read(name, request))
    if (key !== undefined) this.#known.of(key, () => read)
    return read
  }

  /** @throws EngineError bad_input naming the place */
  filter(name: DatasetName, asked: AskedFilters): Promise<Filter | undefined> {
    return readRecordFilter(name, asked, this.#resolverOf(name), this.#turns)
  }

  async #read(name: DatasetName, request: ListRequest): Promise<ReadRequest> {
    const dataset = datasetOf(name)
    const filter = await this.filter(name, request)
    const resolver = this.#resolverOf(name)
    const { facets: plain, warning } = selectFacets(request.facets ?? [], resolver)
    const counted = withHistograms(plain, request.histograms ?? [], resolver)
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
