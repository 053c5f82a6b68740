import type { DocumentLimits } from '../../shared/graphql/document-limits.ts'

/** Limits on a document, checked before it is executed. */
export const SEARCH_DOCUMENT_LIMITS: DocumentLimits & {
  readonly depth: number
  readonly fields: number
  readonly lists: number
  readonly changes: number
} = Object.freeze({
  characters: 512 * 1024,
  tokens: 20_000,
  nesting: 100,
  definitions: 200,
  // Maximum number of filters written in the document itself. Filters in variables have the limits of REST.
  objects: 1000,
  alike: 400,
  /** The portal's page of a case has 23 levels. */
  depth: 40,
  /** Maximum number of fields. The fields of a fragment count each time that the fragment is used. */
  fields: 10_000,
  /** Maximum number of `hits`, `aggregations` and `facets`. Each may need a search of its own. */
  lists: 250,
  /** Maximum number of sets that one document creates or changes. */
  changes: 10,
})

/** Limits on executing a document. */
export const SEARCH_GRAPH_LIMITS = Object.freeze({
  /** Maximum number of records in a list at the top level. */
  first: 50_000,
  /** Maximum number of values of records in the response, including those of nested lists. */
  values: 2_000_000,
  /** Maximum size of a response in bytes. A response is held in memory as a whole. */
  bytes: 32 << 20,
  /** Maximum cost of all searches: four times that of a REST request (query/cost.ts). */
  cost: 4_000_000_000,
  /** Maximum number of ranges in one list. */
  ranges: 1000,
})
