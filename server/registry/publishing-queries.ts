import { z } from '@hono/zod-openapi'
import type { SearchRequest } from '../../engine/registry/index.ts'
import type { PublishingDefinition } from '../../engine/registry/internal.ts'
import { PUBLISHING_OUTPUTS } from '../../engine/registry/internal.ts'
import { flag, listParameter } from './query-parameters.ts'

const text = z.string().optional()
const day = text.openapi({ format: 'date' })
// The engine validates numbers and words, so that its errors are the same for all callers.
const count = text.describe('1 to 1,000; by default 25')
const offset = text.describe('From 0')

export const withGlossary = {
  glossary: flag.optional().describe('true: lists the glossary terms in its texts'),
}

/** Returns the search parameters of an area: those that all areas have, and its own. */
export function searchQuery({ filters, orders }: PublishingDefinition) {
  const own = Object.entries(filters).map(([name, words]) => {
    const parameter = listParameter('Any of these; repeated or with commas', words)
    return [name, parameter] as const
  })
  const order = ['name', 'status', 'assigned_to', 'last_modified', ...orders].join(', ')
  const shared = z.object({
    q: text.describe('Words; a record matches if one of its words starts like this'),
    status: listParameter('Any of these; repeated or with commas'),
    assigned_to: text,
    modified_from: day,
    modified_to: day,
    published_from: day,
    published_to: day,
    been_published: flag.optional(),
    hidden: flag.optional(),
    mode: text.describe('OR (default): one of the words is sufficient; AND: all are required'),
    count,
    offset,
    order: text.describe(`One of ${order}; with - before it, in descending order`),
    output_type: text.describe(`${PUBLISHING_OUTPUTS.join(', ')}; by default MIN`),
    ...withGlossary,
  })
  return shared.extend(Object.fromEntries(own))
}

/** Converts a query to the engine's names. */
export function searchRequest(
  { filters }: PublishingDefinition,
  query: Readonly<Record<string, unknown>>,
): SearchRequest {
  const names = Object.keys(filters)
  const shared = Object.entries(query).filter(([name]) => !names.includes(name))
  const own = Object.entries(query).filter(([name]) => names.includes(name))
  return { ...Object.fromEntries(shared), filters: Object.fromEntries(own) } as SearchRequest
}

export const changelogQuery = z.object({
  from: day,
  to: day,
  count: text.describe('1 to 10; by default 10'),
  offset,
  id: text.describe('Only the changes of this record'),
  order: text.describe('ASC or DESC by date; by default DESC'),
})

export const keywordQuery = z.object({ q: text.describe('Start of the words'), count })

export const described = z.object({
  description: text.describe('Text for the changelog'),
})
