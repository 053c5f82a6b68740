import type { DocumentLimits } from '../../shared/graphql/document-limits.ts'

/** Limits on a document, which are checked before anything of it is done. */
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
  // Filters that stand in the document itself count here; those of variables are read like REST's.
  objects: 1000,
  alike: 400,
  /** The portal's page of one case has 23 levels. */
  depth: 40,
  /** Fields of fragments count wherever the fragments are named. */
  fields: 10_000,
  /** `hits`, `aggregations` and `facets`: each may be a search of its own. */
  lists: 250,
  /** Maximum number of sets that one document makes or changes. */
  changes: 10,
})

/** Limits on the work of answering one document. */
export const SEARCH_GRAPH_LIMITS = Object.freeze({
  /** Maximum number of records of one list at the top. */
  first: 50_000,
  /** Maximum number of values that are shown of records, with those of lists within them. */
  values: 2_000_000,
  /** Maximum size of an answer in bytes. It is held in memory until it is complete. */
  bytes: 32 << 20,
  /** Maximum estimated number of values that are read: four times that of one request of REST (query/cost.ts). */
  cost: 4_000_000_000,
  /** Maximum number of ranges of one list. */
  ranges: 1000,
})
