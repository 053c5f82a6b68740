import { z } from '@hono/zod-openapi'
import type { ResponseNote } from '../http/endpoint.ts'

type Responses = Readonly<Record<number, ResponseNote>>

const record = z.record(z.string(), z.unknown()).openapi('Record', {
  description: 'Fields by name; groups of fields are objects or arrays of objects.',
})

const warnings = z.record(z.string(), z.string()).openapi('Warnings', {
  description: 'Unknown names and values, by parameter, with the nearest known ones.',
})

const pagination = z
  .object({
    count: z.int().openapi({ description: 'Number of records in this response.' }),
    total: z.int().openapi({ description: 'Number of matching records.' }),
    size: z.int(),
    from: z.int(),
    sort: z.string().openapi({
      description:
        'The text `None` if the request has `sort`, otherwise empty, as in the public service.',
    }),
    page: z.int(),
    pages: z.int(),
  })
  .openapi('Pagination')

const buckets = z.array(z.object({ doc_count: z.int(), key: z.string() }))

const aggregations = z.record(
  z.string(),
  z.object({
    buckets: buckets
      .optional()
      .openapi({ description: 'For fields of texts, most frequent first.' }),
    stats: z
      .record(z.string(), z.number().nullable())
      .optional()
      .openapi({ description: 'For fields of numbers.' }),
    histogram: z
      .object({ interval: z.union([z.number(), z.string()]), buckets })
      .optional()
      .openapi({
        description: 'The intervals of `histograms`; a key is the start of an interval.',
      }),
  }),
)

export const listAnswer = z
  .object({
    data: z.object({
      hits: z.array(record),
      aggregations: aggregations.optional(),
      pagination,
    }),
    warnings,
  })
  .openapi('List')

const single = z.object({ data: record, warnings }).openapi('Single')

const mappedFields = z.record(
  z.string(),
  z.object({
    description: z.string(),
    doc_type: z.string(),
    field: z.string(),
    full: z.string(),
    type: z.string(),
  }),
)

const mapping = z
  .object({
    _mapping: mappedFields,
    defaults: z.array(z.string()),
    expand: z.array(z.string()),
    fields: z.array(z.string()),
    multi: z.array(z.string()),
    nested: z.array(z.string()),
  })
  .openapi('Mapping')

const bytes = z.unknown()
const otherForms = {
  'text/tab-separated-values': z.string(),
  'text/csv': z.string(),
  'application/xml': z.string(),
  'application/x-ndjson': z.string(),
  'application/vnd.apache.arrow.stream': bytes,
  'application/vnd.apache.parquet': bytes,
}

export const unchanged: ResponseNote = {
  description: 'The client already has this response (`ETag`).',
}

const gone: ResponseNote = { description: 'The release in `release` is no longer available.' }

export const listResponses: Responses = Object.freeze({
  200: {
    description: 'Records',
    content: { 'application/json': listAnswer, ...otherForms },
  },
  304: unchanged,
  410: gone,
})

export const recordResponses: Responses = Object.freeze({
  200: {
    description: 'The record',
    content: { 'application/json': single, ...otherForms },
  },
  304: unchanged,
  410: gone,
})

export const mappingResponses: Responses = Object.freeze({
  200: { description: 'Fields, groups and defaults', content: { 'application/json': mapping } },
  304: unchanged,
})

export const mappedFieldsResponses: Responses = Object.freeze({
  200: {
    description: 'The fields by their full names',
    content: { 'application/json': mappedFields },
  },
  304: unchanged,
})
