import { costsOf } from './cost.ts'
import type { Layouts } from './field-cost.ts'
import type { Answer, Facet, Query } from './query.ts'

/** Removes facets with a repeated name, because a JSON object has one value per name. */
export const uniqueFacets = (facets: readonly Facet[]): readonly Facet[] => [
  ...new Map(facets.map((facet) => [facet.name, facet])).values(),
]

/**
 * Splits a query into parts that run concurrently. Each part counts some of the facets, and the first also
 * returns the page. Every part evaluates the filter itself, which is faster than waiting for another part.
 */
export function splitQuery(query: Query, layouts: Layouts, parts: number): readonly Query[] {
  const facets = uniqueFacets(query.facets)
  const costs = costsOf({ ...query, facets }, layouts)
  let before = costs.page
  const total = costs.facets.reduce((sum, cost) => sum + cost, before) || 1
  const shares = Array.from({ length: Math.max(1, parts) }, (): Facet[] => [])
  for (const [i, facet] of facets.entries()) {
    const cost = costs.facets[i]!
    const place = Math.floor(((before + cost / 2) / total) * shares.length)
    shares[Math.min(place, shares.length - 1)]?.push(facet)
    before += cost
  }
  return shares
    .filter((share, i) => i === 0 || share.length > 0)
    .map((share, i) => ({ ...query, facets: share, ...(i > 0 && { size: 0, sort: [] }) }))
}

/** Merges the answers of the parts of a query, in the order of the parts. */
export function joinAnswers([first, ...others]: readonly [Answer, ...Answer[]]): Answer {
  const texts = [first, ...others].flatMap(({ aggregations }) => aggregations ?? [])
  if (texts.length < 2) return { ...first, ...(texts[0] && { aggregations: texts[0] }) }
  // Each text is a JSON object. Their fields are concatenated into one object.
  const length = texts.reduce((sum, text) => sum + text.length - 1, 1)
  const aggregations = new Uint8Array(length).fill(COMMA)
  let at = 1
  for (const text of texts) {
    aggregations.set(text.subarray(1, -1), at)
    at += text.length - 1
  }
  aggregations[0] = OPEN
  aggregations[length - 1] = CLOSE
  return { ...first, aggregations }
}

const COMMA = 0x2c
const OPEN = 0x7b
const CLOSE = 0x7d
