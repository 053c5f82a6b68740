import type { DocumentLimits } from '../../shared/graphql/document-limits.ts'

/** What a document may be, before anything of it is done; what it may cost is in work.ts. */
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
  // Of filters that stand in the document itself; those of variables are read like REST's.
  objects: 1000,
  alike: 400,
  /** The portal's page of one case has 23 levels. */
  depth: 40,
  /** With fragments in place of their names. */
  fields: 10_000,
  /** `hits`, `aggregations` and `facets`: each may be a search of its own. */
  lists: 250,
  /** Sets that one document makes or changes. */
  changes: 10,
})

/** What answering one document may take. */
export const SEARCH_GRAPH_LIMITS = Object.freeze({
  /** Of one list at the top. */
  first: 50_000,
  /** Values that are shown of records, with those of lists within them. */
  values: 2_000_000,
  /** Maximum size of an answer in bytes. It is held in memory until it is complete. */
  bytes: 32 << 20,
  /** Values that are looked at, about: four times what one request of REST may (query/cost.ts). */
  cost: 4_000_000_000,
  /** Ranges of one list. */
  ranges: 1000,
})
