import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { readPairConditions } from '../analysis/mutation-counts/conditions.ts'
import type { DatasetName } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { DATASETS } from '../datasets/index.ts'
import { resolveOccurrence } from '../datasets/resolve-occurrence.ts'
import type { SortKey } from '../datasets/select.ts'
import { withCohort } from '../query/cohort.ts'
import type { Filter } from '../query/filter-tree.ts'
import type { Facet, FacetCount } from '../query/query.ts'
import { joinFilters } from '../query/shape.ts'
import { CART_FIELDS } from './cart-fields.ts'
import type { FilterReader } from './filter-reading.ts'
import type { Request } from './plan.ts'

/** Records that a part of a document requests, with their filters as given. */
export interface RequestedRecords {
  readonly dataset: DatasetName
  readonly filters: unknown
  readonly caseFilters: unknown
}

/** Page of records that a part of a document requests. Only genes and mutations can have a `score`. */
export interface RequestedPage {
  readonly first: number
  readonly offset: number
  readonly sort: readonly SortKey[]
  readonly score: 'descending' | 'ascending' | undefined
}

interface Gathered extends RequestedRecords {
  readonly place: number
  page: RequestedPage | undefined
  readonly facets: Facet[]
  readonly cartFields: Set<string> | undefined
}

/** Collects the searches of a document. Counts and one page of records share a search (portal.md 13 rule 18). */
export class SearchRequests {
  readonly #reader: FilterReader
  readonly #gathered: Gathered[] = []

  constructor(reader: FilterReader) {
    this.#reader = reader
  }

  /** Returns the index of a search that counts the records. */
  records(asked: RequestedRecords): number {
    return this.#of(asked).place
  }

  /** Returns the index of a search for a page. If no page is requested, its size is 0. */
  page(asked: RequestedRecords, page: RequestedPage): number {
    // A search with a score counts fewer records.
    if (page.first === 0 && page.score === undefined) return this.records(asked)
    const isFree = (one: Gathered) =>
      one.page ? isSamePage(one.page, page) : page.score === undefined
    const found = this.#alike(asked).find(isFree) ?? this.#add(asked)
    found.page = page
    return found.place
  }

  /** Adds a facet to the search that `records` returns. Returns the name of the facet in it. */
  facet(asked: RequestedRecords, field: FieldPath, isFiltered: boolean, count: FacetCount) {
    const { facets } = this.#of(asked)
    const text = JSON.stringify(count)
    for (const [i, one] of facets.entries()) {
      if (one.field.path !== field.path || (one.isFiltered ?? false) !== isFiltered) continue
      const same = one.counts.find(({ kind }) => kind === count.kind)
      if (same && JSON.stringify(same) !== text) continue
      if (!same) facets[i] = { ...one, counts: [...one.counts, count] }
      return { facet: one.name }
    }
    const name = String(facets.length)
    facets.push({ name, field, counts: [count], ...(isFiltered && { isFiltered }) })
    return { facet: name }
  }

  /** Returns the index of a search that totals the files of a cart. */
  cart(asked: Omit<RequestedRecords, 'dataset'>, fields: Iterable<string>): number {
    const files = { ...asked, dataset: 'files' } as const
    const same = this.#gathered.find((one) => one.cartFields && this.#isSame(one, files))
    const found = same ?? this.#add(files, new Set())
    for (const field of fields) found.cartFields?.add(field)
    return found.place
  }

  /**
   * Returns all searches with their filters parsed.
   * @throws EngineError bad_input naming the place in a filter
   */
  async read(turns: LoopTurns | undefined): Promise<Request[]> {
    const requests: Request[] = []
    for (const one of this.#gathered) requests.push(await this.#read(one, turns))
    return requests
  }

  async #read(
    { dataset, filters, caseFilters, page, facets, cartFields }: Gathered,
    turns: LoopTurns | undefined,
  ): Promise<Request> {
    const own = await this.#reader.own(dataset, filters)
    const cohort = await this.#reader.cohort(dataset, caseFilters)
    const filter = withCohort(own, cohort, DATASETS[dataset].caseAt, facets)
    if (cartFields) {
      const fields = CART_FIELDS.filter(({ name }) => cartFields.has(name))
      return { kind: 'cart', query: { filter, fields: fields.map(({ field }) => field) } }
    }
    const { first = 0, offset = 0, sort = [], score } = page ?? {}
    const span = { from: offset, size: first }
    if (score === undefined) {
      return { kind: 'list', query: { dataset, filter, facets, sort, ...span } }
    }
    const descending = score === 'descending'
    if (dataset === 'genes') {
      const given = {
        filters: await this.#reader.withSets(filters),
        caseFilters: await this.#reader.withSets(caseFilters),
      }
      const conditions = await readPairConditions(given, 'gene', turns)
      const pairs = { by: 'gene', ...conditions, from: 0, size: 0 } as const
      const scored = { dataset, pairs } as const
      return { kind: 'scored', query: { filter, score: scored, descending, ...span } }
    }
    const occurrences = await this.#occurrences(filters, caseFilters)
    const scored = { dataset: 'ssms', occurrences } as const
    return { kind: 'scored', query: { filter, score: scored, descending, ...span } }
  }

  /** Returns the conditions on mutations and on their cases, resolved for occurrences of mutations. */
  async #occurrences(filters: unknown, caseFilters: unknown): Promise<Filter | undefined> {
    const own = await this.#reader.read('ssms as occurrences', filters, {
      records: 'ssms',
      resolve: (name) => resolveOccurrence(name.replace(/^ssms?\./, ''), 'ssm'),
    })
    const cohort = await this.#reader.cohort('ssm_occurrences', caseFilters)
    return joinFilters(own, own && cohort ? { kind: 'or', parts: [cohort] } : cohort)
  }

  #of(asked: RequestedRecords): Gathered {
    // A page that is sorted by score needs a search of its own.
    return this.#alike(asked).find(({ page }) => page?.score === undefined) ?? this.#add(asked)
  }

  #alike(asked: RequestedRecords): readonly Gathered[] {
    return this.#gathered.filter((one) => !one.cartFields && this.#isSame(one, asked))
  }

  #add(asked: RequestedRecords, cartFields?: Set<string>): Gathered {
    const { dataset, filters, caseFilters } = asked
    const place = this.#gathered.length
    const one = { dataset, filters, caseFilters, place, page: undefined, facets: [], cartFields }
    this.#gathered.push(one)
    return one
  }

  #isSame(one: RequestedRecords, other: RequestedRecords): boolean {
    return (
      one.dataset === other.dataset &&
      this.#reader.textOf(one.filters) === this.#reader.textOf(other.filters) &&
      this.#reader.textOf(one.caseFilters) === this.#reader.textOf(other.caseFilters)
    )
  }
}

function isSamePage(one: RequestedPage, other: RequestedPage): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
