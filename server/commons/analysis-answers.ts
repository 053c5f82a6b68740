import { z } from '@hono/zod-openapi'
import type { ResponseNote } from '../http/endpoint.ts'
import { listAnswer, unchanged } from './search-answers.ts'

type Responses = Readonly<Record<number, ResponseNote>>

const none = z.literal(0)

const bucketsOf = <Bucket extends z.ZodType>(bucket: Bucket) =>
  z.object({
    doc_count_error_upper_bound: none,
    sum_other_doc_count: none,
    buckets: z.array(bucket),
  })

const project = z.object({
  key: z.string().openapi({ description: 'Id of the project.' }),
  doc_count: z.int().openapi({ description: 'Cases.' }),
  genes: z
    .object({
      doc_count: z.int(),
      my_genes: z.object({
        doc_count: z.int(),
        gene_id: bucketsOf(z.object({ key: z.string(), doc_count: z.int() })),
      }),
    })
    .optional(),
  case_summary: z
    .object({ doc_count: z.int(), case_with_ssm: z.object({ doc_count: z.int() }) })
    .optional(),
})

const counts = z
  .object({
    took: z.int().openapi({ description: 'Milliseconds.' }),
    timed_out: z.boolean(),
    _shards: z.object({ total: z.int(), successful: z.int(), skipped: none, failed: none }),
    hits: z.object({
      total: z.object({ value: z.int(), relation: z.literal('eq') }),
      max_score: z.null(),
      hits: z.array(z.unknown()),
    }),
    aggregations: z.object({ projects: bucketsOf(project) }),
  })
  .openapi('CountsByProject')

export const countsResponses: Responses = Object.freeze({
  200: { description: 'Counts by project', content: { 'application/json': counts } },
  304: unchanged,
})

export const topResponses: Responses = Object.freeze({
  200: {
    description: 'Records without `id`, `_score` last, the highest first',
    content: {
      'application/json': listAnswer,
      'text/tab-separated-values': z.string(),
      'text/csv': z.string(),
    },
  },
  304: unchanged,
})
