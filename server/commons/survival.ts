import { z } from '@hono/zod-openapi'
import { type Commons, SURVIVAL_ENDPOINTS } from '../../engine/commons/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineAnalysis } from './define-analysis.ts'
import { filterList, flag, word } from './parameter-forms.ts'
import { searchParameters } from './search-parameters.ts'

export interface SurvivalEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly survival: Pick<Commons['survival'], 'curves'>
}

const parameters = searchParameters.pick({ case_filters: true, pretty: true }).extend({
  filters: filterList('filters', {
    description:
      'A filter for each curve, as in a search. Without it, there is one curve over all cases. ' +
      'Fields are those of cases. Together with `case_filters`, at most 65,536 values with 4 MiB ' +
      'of text.',
  }),
  intervals: flag('intervals', {
    description:
      'Whether donors have `n_at_risk`, and `lower_95` and `upper_95`, the 95 % confidence ' +
      'interval of the estimate.',
  }),
  endpoint: word('endpoint', SURVIVAL_ENDPOINTS, {
    description:
      'Event that ends a time: death (`overall`); progression, recurrence or death ' +
      '(`progression-free`); progression or recurrence alone (`time-to-progression`).',
    default: 'overall',
  }),
  comparison: flag('comparison', {
    description:
      'Whether `comparison` describes each curve, of which there are at most 24: donors, deaths, ' +
      'median, hazard ratio, and the donors that curves share.',
  }),
})

const donor = z.object({
  time: z.number().describe('Days, to the event or to the last follow-up'),
  censored: z.boolean().describe('Whether there was no event until then'),
  survivalEstimate: z.number().describe('Survival after this day'),
  id: z.string(),
  submitter_id: z.string().nullable(),
  project_id: z.string().nullable(),
  n_at_risk: z.int().optional().describe('Donors of the curve with this time or a later one'),
  lower_95: z.number().nullable().optional().describe('`null` where survival is 0'),
  upper_95: z.number().nullable().optional(),
})

const limit = z.number().nullable()

const groupSurvival = z.object({
  donors: z.int(),
  deaths: z.int(),
  median_days: limit.describe('`null` if the curve does not fall to a half'),
  median_lower_95: limit,
  median_upper_95: limit,
  hazard_ratio: limit.describe(
    'Hazard relative to the first curve, by Cox’s model with Efron’s method for ties. `null` for ' +
      'the first curve, without deaths, if no finite ratio fits best, and if curves share donors',
  ),
  hazard_ratio_lower_95: limit,
  hazard_ratio_upper_95: limit,
  hazard_ratio_p_value: limit.describe('Of Wald’s test'),
})

const comparison = z.object({
  groups: z.array(groupSurvival).describe('One for each curve'),
  overlaps: z
    .array(z.object({ groups: z.array(z.int()), donors: z.int() }))
    .describe('Pairs of curves, counted from 0, that share donors'),
})

const survival = z.object({
  results: z.array(
    z.object({
      meta: z.object({ id: z.int() }),
      donors: z.array(donor).describe('By time, then by id'),
    }),
  ),
  overallStats: z
    .object({
      degreesFreedom: z.int(),
      chiSquared: z.number().describe('Sum of (O - E)^2 / E, which is conservative'),
      pValue: z.number(),
      logRankChiSquared: limit.describe('The log-rank statistic. `null` if curves share donors'),
      logRankDegreesFreedom: z.int().nullable(),
      logRankPValue: limit,
    })
    .partial()
    .describe('Empty when fewer than two curves have donors'),
  comparison: comparison.optional().describe('With `comparison=true`'),
})

/** Endpoint for survival curves of cases (data-commons-service.md 4.4, data-commons.md 6.8). */
export function survivalEndpoints(engine: SurvivalEngine, build: string): readonly Endpoint[] {
  return Object.freeze([
    defineAnalysis(
      { engine, build },
      {
        methods: ['GET', 'POST'],
        path: '/analysis/survival',
        summary: 'Survival curves of cases, and whether they differ',
        description:
          'The estimate of Kaplan and Meier for each filter in the array `filters`: one curve for ' +
          'one filter or none, and one over all cases for an empty object in the array. With two ' +
          'curves or more, the sum of (O - E)^2 / E and the log-rank test with the hypergeometric variance. Cases whose ' +
          'vital status or time is unknown are left out; a case may be in several curves.',
        parameters,
        responses: {
          200: { description: 'The curves', content: { 'application/json': survival } },
          304: { description: 'The client has this answer already.' },
          400: { description: 'A filter is not accepted; the message names its place.' },
        },
        request(input) {
          const {
            filters,
            case_filters: caseFilters,
            pretty,
            intervals,
            comparison,
            endpoint,
          } = input
          const request = { filters, caseFilters, pretty, intervals, comparison, endpoint }
          return {
            input: { ...input, format: 'json', attachment: false },
            fileName: 'survival.json',
            run: (run) => engine.survival.curves(request, run),
          }
        },
      },
    ),
  ])
}
