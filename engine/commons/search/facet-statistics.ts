import { kindOf } from '../query/facet-kinds.ts'
import type { Answer, Facet, Query } from '../query/query.ts'
import type { Release } from '../release/release.ts'

/** Maximum size of cached facets in bytes. A facet on ids has as many values as there are records. */
const MAX_BYTES = 1 << 20

/** Maximum number of facets cached per release. */
const MAX_FACETS = 1000

/** Caches facet counts over all records of a dataset, until another release is served. */
export class FacetStatistics {
  #releaseId = ''
  readonly #texts = new Map<string, string>()

  /**
   * Answers a query. Without a filter, cached facets are not counted again.
   * @param compute evaluates any query on the release
   */
  async answer(
    query: Query,
    release: Release,
    compute: (query: Query) => Promise<Answer>,
  ): Promise<Answer> {
    if (query.filter || query.facets.length === 0 || !query.facets.every(isKept)) {
      return compute(query)
    }
    this.#follow(release.id)
    const unknown = query.facets.filter((facet) => !this.#texts.has(keyOf(query, facet)))
    const answer = await compute({ ...query, facets: unknown })
    if (!this.#keep(query, unknown, answer, release.id)) {
      return unknown.length === query.facets.length ? answer : compute(query)
    }
    const members = new Map(
      query.facets.map((facet) => [facet.name, this.#texts.get(keyOf(query, facet)) ?? '']),
    )
    const texts = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    return { ...answer, aggregations: Buffer.from(`{${texts.join(',')}}`) }
  }

  #follow(releaseId: string): void {
    if (this.#releaseId === releaseId) return
    this.#releaseId = releaseId
    this.#texts.clear()
  }

  /** Returns false if the facets are too large for the cache or another release is served now. */
  #keep(
    query: Query,
    facets: Query['facets'],
    { aggregations }: Answer,
    releaseId: string,
  ): boolean {
    if (this.#releaseId !== releaseId) return false
    if (facets.length === 0) return true
    if (!aggregations || aggregations.length > MAX_BYTES) return false
    if (this.#texts.size + facets.length > MAX_FACETS) return false
    const parsed = JSON.parse(Buffer.from(aggregations).toString()) as Record<string, unknown>
    for (const facet of facets) {
      this.#texts.set(keyOf(query, facet), JSON.stringify(parsed[facet.name]))
    }
    return true
  }
}

const isKept = ({ counts }: Facet) => counts.every((count) => kindOf(count).isKept)

/** Returns a cache key of everything that determines a facet's text, except its name. */
function keyOf({ dataset }: Query, { name: _, field, ...counted }: Facet): string {
  return JSON.stringify([dataset, field.path, counted])
}
