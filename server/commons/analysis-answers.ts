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

// Clients expect these names (data-commons.md 6.6).
const project = z.object({
  key: z.string().openapi({ description: 'Id of the project.' }),
  doc_count: z.int().openapi({ description: 'Number of cases.' }),
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

const grid = z
  .object({
    total: z.int().openapi({ description: 'Number of cases that match the filters.' }),
    ssm_tested: z.int().openapi({ description: 'Number of these cases with data on mutations.' }),
    cnv_tested: z
      .int()
      .openapi({ description: 'Number of these cases with data on copy numbers.' }),
    genes_total: z
      .int()
      .openapi({ description: 'Number of genes with a mutation in any of these cases.' }),
    genes: z.array(
      z.object({
        gene_id: z.string(),
        symbol: z.string().nullable(),
        ssm_cases: z
          .int()
          .openapi({ description: 'Number of cases with a simple mutation in the gene.' }),
        cnv_cases: z
          .int()
          .openapi({ description: 'Number of cases with a copy-number change of the gene.' }),
      }),
    ),
    cases_total: z.int().openapi({
      description:
        'Number of cases with a change of at least one of `genes`, also above `case_size`.',
    }),
    cases: z.array(z.string()).openapi({
      description: 'Ids of the cases in display order, at most `case_size`.',
    }),
    consequence_types: z.array(z.string()),
    copy_numbers: z.array(z.string()),
    cells: z.array(z.array(z.union([z.int(), z.array(z.int())]))).openapi({
      description:
        '`[gene, case, mutations, consequences, changes]`: index of the gene in `genes`, index of ' +
        'the case in `cases`, number of mutations, indexes of their consequences in ' +
        '`consequence_types`, and indexes of the changes in `copy_numbers`. Indexes start at 0.',
    }),
  })
  .openapi('Oncogrid')

export const gridResponses: Responses = Object.freeze({
  200: { description: 'Genes and cases in display order', content: { 'application/json': grid } },
  304: unchanged,
})

const tested = {
  ssm_tested: z.int(),
  ssm_cases: z.int(),
  cnv_tested: z.int(),
  cnv_cases: z.int(),
}

const changes = z
  .object({
    total: z.int().openapi({ description: 'Number of cases that match the filters.' }),
    ...tested,
    projects: z.array(z.object({ project_id: z.string(), cases: z.int(), ...tested })),
    mutations_total: z.int(),
    mutations: z.array(z.object({ ssm_id: z.string(), cases: z.int() })),
    copy_numbers: z.array(z.object({ change: z.string(), cases: z.int() })),
  })
  .openapi('GeneChanges')

export const changesResponses: Responses = Object.freeze({
  200: { description: 'Counts of cases', content: { 'application/json': changes } },
  404: { description: 'The release has no such gene.' },
  304: unchanged,
})

export const topResponses: Responses = Object.freeze({
  200: {
    description:
      'Records by descending `_score`. A record has no `id`, and `_score` is its last member.',
    content: {
      'application/json': listAnswer,
      'text/tab-separated-values': z.string(),
      'text/csv': z.string(),
    },
  },
  304: unchanged,
})
