import { z } from '@hono/zod-openapi'
import type { ResponseNote } from '../http/endpoint.ts'
import { unchanged } from './search-answers.ts'

type Responses = Readonly<Record<number, ResponseNote>>

const known = z.number().nullable()

const geneName = { gene_id: z.string(), symbol: z.string().nullable() }

const associations = z
  .object({
    total: z.int().describe('Number of cases that match the filters'),
    tested: z.int().describe('Number of these cases that were tested for the changes'),
    genes: z
      .array(z.object({ ...geneName, cases: z.int() }))
      .describe('In descending order of the tested cases in which they are changed'),
    pairs: z
      .array(
        z.object({
          genes: z.array(z.int()).describe('Indexes in `genes`, from 0'),
          both: z.int().describe('Number of tested cases in which both are changed'),
          first_only: z.int(),
          second_only: z.int(),
          neither: z.int(),
          tendency: z.enum(['co-occurrence', 'mutual exclusivity', 'none']),
          log2_odds_ratio: known.describe('0.5 is added to all counts if one of them is 0'),
          lower_95: known,
          upper_95: known,
          p_value: z.number().describe('Two-sided'),
          q_value: z.number(),
        }),
      )
      .describe('In ascending order of p-values'),
  })
  .openapi('GeneAssociations')

export const associationsResponses: Responses = Object.freeze({
  200: { description: 'Genes and pairs', content: { 'application/json': associations } },
  304: unchanged,
})

const copyNumbers = z
  .object({
    total: z.int().describe('Number of cases that match the filters'),
    tested: z.int().describe('Number of these cases that were tested for copy numbers'),
    copy_numbers: z.array(z.string()).describe('Changes that occur'),
    projects: z
      .array(
        z.object({
          project_id: z.string(),
          cases: z.int(),
          tested: z.int(),
          counts: z.array(z.int()).describe('Tested cases by change, as in `copy_numbers`'),
          unchanged: z.int().describe('Tested cases without a change of the gene'),
        }),
      )
      .describe('Those with tested cases, by id'),
  })
  .openapi('GeneCopyNumbers')

export const copyNumbersResponses: Responses = Object.freeze({
  200: { description: 'Counts of cases', content: { 'application/json': copyNumbers } },
  404: { description: 'The release has no such gene.' },
  304: unchanged,
})

const summary = {
  least: known,
  lower_quartile: known,
  median: known,
  upper_quartile: known,
  most: known,
}

const burden = z
  .object({
    total: z.int().describe('Number of cases that match the filters'),
    tested: z.int().describe('Number of these cases that were tested for simple mutations'),
    classes: z.array(z.string()),
    counts: z.array(z.int()).describe('Number of mutations of all tested cases, by class'),
    contexts: z
      .array(z.string())
      .optional()
      .describe('With `contexts=true`: substitutions with the base before and after them'),
    context_counts: z.array(z.int()).optional().describe('Of all tested cases, by context'),
    unknown_contexts: z
      .int()
      .optional()
      .describe('Number of substitutions without a known context'),
    ...summary,
    projects: z.array(z.object({ project_id: z.string(), tested: z.int(), ...summary })),
    cases: z
      .array(
        z.object({
          case_id: z.string(),
          submitter_id: z.string().nullable(),
          project_id: z.string().nullable(),
          mutations: z.int(),
          counts: z.array(z.int()).describe('By class, as in `classes`'),
          context_counts: z.array(z.int()).optional().describe('By context, as in `contexts`'),
        }),
      )
      .describe('Tested cases, most mutated first'),
  })
  .openapi('MutationBurden')

export const burdenResponses: Responses = Object.freeze({
  200: { description: 'Mutations by case', content: { 'application/json': burden } },
  304: unchanged,
})
