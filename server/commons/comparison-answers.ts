import { z } from '@hono/zod-openapi'
import type { ResponseNote } from '../http/endpoint.ts'
import { unchanged } from './search-answers.ts'

type Responses = Readonly<Record<number, ResponseNote>>

const known = z.number().nullable()

const groups = {
  groups: z.array(z.object({ cases: z.int() })).describe('In the order of `filters`'),
  overlaps: z
    .array(z.object({ groups: z.array(z.int()), cases: z.int() }))
    .describe(
      'Pairs of groups, counted from 0, that share cases. If there are any, no test is made',
    ),
}

const effect = z
  .object({
    name: z
      .enum([
        'odds_ratio',
        'cramers_v',
        'probability_of_superiority',
        'epsilon_squared',
        'hazard_ratio',
      ])
      .describe(
        '`odds_ratio`: odds of the first value in the first group by those in the second. ' +
          '`probability_of_superiority`: that a number of the first group exceeds one of the ' +
          'second. `hazard_ratio`: hazard of the second group by that of the first',
      ),
    value: z.number(),
    lower_95: known,
    upper_95: known,
  })
  .nullable()

const test = z
  .object({
    method: z.enum([
      'fisher',
      'chi-square',
      'mann-whitney',
      'mann-whitney-exact',
      'kruskal-wallis',
      'log-rank',
    ]),
    statistic: known,
    degrees_of_freedom: z.int().nullable(),
    p_value: z.number(),
    q_value: z.number().describe('Adjusted for the number of tests'),
    effect,
  })
  .nullable()
  .describe('`null` if fewer than two groups have different values, or if groups share cases')

const ownTest = test.unwrap().omit({ q_value: true }).nullable()

const comparedField = z.object({
  field: z.string(),
  kind: z.enum(['categories', 'numbers', 'survival']),
  groups: z.array(
    z.object({
      cases: z.int().describe('Cases with one value. For survival, with a known time'),
      several: z
        .int()
        .optional()
        .describe('Cases with several values, which are neither counted nor tested'),
      median: known.optional(),
      lower_quartile: known.optional(),
      upper_quartile: known.optional(),
      deaths: z.int().optional(),
      median_lower_95: known.optional(),
      median_upper_95: known.optional(),
    }),
  ),
  values: z
    .array(
      z.object({
        value: z.string(),
        counts: z.array(z.int()).describe('Number of cases by group'),
        shares: z.array(known).describe('`counts` by the cases with one value'),
      }),
    )
    .optional()
    .describe('Of categories, in ascending order'),
  test,
})

const comparedFields = z
  .object({
    ...groups,
    fields: z.array(comparedField).describe('In ascending order of p-values'),
    left_out: z
      .array(z.object({ field: z.string(), reason: z.string(), values: z.int() }))
      .describe('Fields of categories with more than 100 values'),
  })
  .openapi('ComparedFields')

export const comparedFieldsResponses: Responses = Object.freeze({
  200: { description: 'The fields', content: { 'application/json': comparedFields } },
  400: { description: 'A filter or a field is not accepted; the message names it.' },
  304: unchanged,
})

const enrichment = z
  .object({
    groups: z.array(
      z.object({
        cases: z.int(),
        tested: z.int().describe('Cases that were tested for the changes'),
      }),
    ),
    overlaps: groups.overlaps,
    genes_total: z.int().describe('Number of genes with a change, all of which are tested'),
    genes: z
      .array(
        z.object({
          gene_id: z.string(),
          symbol: z.string().nullable(),
          counts: z.array(z.int()).describe('Tested cases with a change, by group'),
          shares: z.array(known).describe('`counts` by the tested cases of the group'),
          test,
        }),
      )
      .describe('In ascending order of p-values'),
  })
  .openapi('Enrichment')

export const enrichmentResponses: Responses = Object.freeze({
  200: { description: 'The genes', content: { 'application/json': enrichment } },
  400: { description: 'A filter or a parameter is not accepted; the message names it.' },
  304: unchanged,
})

const variables = z
  .object({
    total: z.int().describe('Number of cases that match the filters'),
    x: z.string(),
    y: z.string(),
    kind: z.enum(['scatter', 'boxes', 'table']),
    known: z.int().describe('Number of these cases with one value of both variables'),
    points: z
      .array(z.object({ case_id: z.string(), x: z.number(), y: z.number() }))
      .optional()
      .describe('At most `size`, evenly chosen'),
    pearson: z
      .object({ coefficient: z.number(), lower_95: known, upper_95: known, p_value: z.number() })
      .nullable()
      .optional()
      .describe('Over all points. `null` for fewer than three points, or if a number is constant'),
    spearman: z.object({ coefficient: z.number(), p_value: z.number() }).nullable().optional(),
    categories: z.enum(['x', 'y']).optional().describe('Which variable has a box for each value'),
    boxes: z
      .array(
        z.object({
          value: z.string(),
          cases: z.int(),
          least: known,
          lower_quartile: known,
          median: known,
          upper_quartile: known,
          most: known,
        }),
      )
      .optional(),
    x_values: z.array(z.string()).optional(),
    y_values: z.array(z.string()).optional(),
    counts: z.array(z.array(z.int())).optional().describe('A row for each of `x_values`'),
    test: ownTest.optional(),
  })
  .openapi('RelatedVariables')

export const variablesResponses: Responses = Object.freeze({
  200: { description: 'The variables', content: { 'application/json': variables } },
  400: { description: 'A filter or a variable is not accepted; the message names it.' },
  403: { description: 'The expression of some cases requires a token with the right to read it.' },
  304: unchanged,
})
