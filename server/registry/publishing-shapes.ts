import { z } from '@hono/zod-openapi'
import { PUBLISHING_STATUSES, PUBLISHING_VERSION_TYPES } from '../../engine/registry/internal.ts'
import { keywordMatch } from './staging-shapes.ts'

// Schemas of rx, glossary and disease for the API document (registry.md 3). They validate nothing: the
// engine does.

const text = z.string().optional()
const date = z.iso.datetime()

type Members = Record<string, z.ZodType>

/** Members that editors set besides the content. */
const editorial = {
  status: z.enum(PUBLISHING_STATUSES).optional(),
  assigned_to: text,
  note: text,
  field_notes: z.record(z.string(), z.string()).optional(),
}

/** Members that the server sets. */
const served = {
  version: z.string(),
  hidden: z.boolean().optional(),
  first_published: date.optional(),
  last_modified: date,
  fingerprint: z.string().describe('Hash of the content only'),
}

/**
 * Builds all schemas of an area.
 * @param name name of its records in the interface
 */
export function recordShapes(name: string, content: Members, found: Members) {
  const former = z
    .object({ id: z.string(), ...content, ...editorial, fingerprint: z.string() })
    .openapi(`Former${name}`)
  const glossary = z.array(keywordMatch).optional()
  const record = z
    .object({
      id: z.string(),
      ...content,
      ...editorial,
      ...served,
      glossary,
      history: z
        .array(z.object({ user: z.string(), date, old: former.optional(), new: former.optional() }))
        .optional(),
    })
    .openapi(name)
  const posted = z.object({ id: text, ...content, ...editorial }).openapi(`${name}Body`)
  const part = z.object({ id: text, ...found }).openapi(`${name}Part`)
  const result = z
    .object({
      id: z.string(),
      ...found,
      ...editorial,
      ...served,
      score: z.number().optional(),
      glossary,
    })
    .openapi(`Found${name}`)
  return {
    record,
    posted,
    part,
    results: z
      .object({
        terms: z.array(z.string()),
        total: z.int(),
        count: z.int().describe('Requested size of a page'),
        offset: z.int(),
        max_score: z.number().optional(),
        order: text,
        results: z.array(result).optional().describe('Absent if there are none'),
      })
      .openapi(`${name}SearchResults`),
    changelog: changelogOf(name, former),
  }
}

function changelogOf(name: string, former: z.ZodType) {
  const entries = z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        old: former.optional(),
        new: former.optional(),
      }),
    )
    .optional()
  return z
    .object({
      total: z.int(),
      count: z.int(),
      offset: z.int(),
      changelogs: z.array(
        z.object({
          user: z.string(),
          date,
          version: z.string(),
          description: text,
          adds: entries,
          mods: entries,
          deletes: entries,
        }),
      ),
    })
    .openapi(`${name}ChangelogResults`)
}

export const publishedVersion = z
  .object({
    version: z.string(),
    type: z.enum(PUBLISHING_VERSION_TYPES).optional().describe('For editors'),
    first_published: date.optional(),
    last_modified: date.optional(),
    count: z.int(),
  })
  .openapi('PublishedVersion')

export const keywords = z.array(
  z.object({ keyword: z.string(), count: z.int() }).openapi('KeywordCount'),
)

export const statusSummary = z
  .object({
    version: z.string(),
    count: z.int(),
    status_summary: z.array(z.object({ type: text, status: text, count: z.int() })),
  })
  .openapi('StatusSummary')

export const publishInfo = z
  .object({
    version_to: text.describe(
      '`latest` or `production`, which means the same; `latest` by default',
    ),
    status: z.enum(PUBLISHING_STATUSES).optional().describe('Value for the items after publishing'),
    assigned_to: text.describe('Value for the items after publishing'),
    ids: z.array(z.string()),
    description: text.describe('Text for the changelog'),
  })
  .openapi('PublishInfo')

export const samePrimaries = z
  .object({
    disease1: z.string(),
    year1: z.int(),
    disease2: z.string(),
    year2: z.int(),
    is_same: z.boolean(),
  })
  .openapi('SamePrimaries')

export const primarySites = z.array(
  z.object({ value: z.string(), label: z.string() }).openapi('PrimarySite'),
)

export const siteCategories = z.array(
  z
    .object({
      id: z.string(),
      label: z.string(),
      sites: z.array(z.object({ low: z.string(), high: z.string() })),
    })
    .openapi('SiteCategory'),
)

export const keywordMatches = z.array(keywordMatch)
