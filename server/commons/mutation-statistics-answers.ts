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
