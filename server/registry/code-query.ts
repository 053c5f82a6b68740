import { z } from '@hono/zod-openapi'
import { CATEGORIES } from '../../engine/registry/index.ts'
import { listParameter } from './query-parameters.ts'

// Query parameters of the areas with codes (registry.md 1.5 b, 2.3). The engine validates them, so that all
// callers get the same errors.

const since = z.string().optional().describe('YYYY-MM-DD, inclusive')

/** Search parameters of both areas. */
export const codeQuery = (orders: string) =>
  z.object({
    q: z.string().optional().describe('Words, all of which must be found; best matches first'),
    category: listParameter('Any of these; repeated or with commas', CATEGORIES),
    page: z.string().optional().describe('From 1'),
    per_page: z.string().optional().describe('1 to 1,000; by default 25'),
    order: z.string().optional().describe(`${orders}; with - before it, in descending order`),
    added_since: since,
    modified_since: since,
  })

type CodeQuery = z.output<ReturnType<typeof codeQuery>>

/** Converts a query to the engine's names. */
export function codeRequest({ q, category, page, per_page, order, ...days }: CodeQuery) {
  return {
    q,
    category,
    page,
    perPage: per_page,
    order,
    addedSince: days.added_since,
    modifiedSince: days.modified_since,
  }
}
