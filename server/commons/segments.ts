import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { casesParameters, checkAtMost } from './analysis-parameters.ts'
import { defineAnalysis } from './define-analysis.ts'
import { count } from './parameter-forms.ts'
import type { Serving } from './release-answer.ts'
import { unchanged } from './search-answers.ts'

interface SegmentsServing extends Serving {
  readonly engine: Serving['engine'] & {
    readonly mutationCounts: Pick<Commons['mutationCounts'], 'segments'>
  }
}

/** Smallest bins, of which the genome has 31,000. */
const LEAST_BIN = 100_000
/** Maximum number of cases whose segments are listed. */
const MAX_CASES = 200

const parameters = casesParameters.extend({
  bin_size: count('bin_size', 1_000_000, {
    description: 'Number of bases per bin, at least 100,000.',
  }),
  size: count(
    'size',
    0,
    { description: 'Maximum number of cases whose segments are listed, at most 200.' },
    'segments_size',
  ),
})

const segments = z
  .object({
    total: z.int().describe('Number of cases that match the filters'),
    tested: z.int().describe('Number of these cases that were tested for segments'),
    bin_size: z.int(),
    unplaced: z.int().describe('Segments without a known chromosome, place or direction'),
    chromosomes: z.array(
      z.object({
        chromosome: z.string(),
        length: z.int(),
        gains: z.array(z.int()).describe('Cases with a gain that overlaps the bin, by bin'),
        losses: z.array(z.int()).describe('Cases with a loss that overlaps the bin, by bin'),
      }),
    ),
    cases: z
      .array(
        z.object({
          case_id: z.string(),
          submitter_id: z.string().nullable(),
          project_id: z.string().nullable(),
          changed_bases: z.number(),
          segments: z.array(
            z.object({
              chromosome: z.string(),
              start: z.int().describe('1-based, inclusive'),
              end: z.int(),
              direction: z.enum(['gain', 'loss']),
              change: z.string(),
            }),
          ),
        }),
      )
      .describe('Tested cases, those with the most changed bases first'),
  })
  .openapi('CopyNumberSegments')

/** Endpoint for copy-number changes along the genome. */
export function segmentsEndpoint(serving: SegmentsServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path: '/analysis/copy_number_segments',
    summary: 'Share of cases with copy-number gains and losses along the genome',
    description:
      'Numbers of cases with a gain and with a loss in each bin of each chromosome, of the cases ' +
      'that were tested for segments, and the segments of the most changed cases. `filters` select ' +
      'the cases.',
    parameters,
    responses: {
      200: { description: 'Cases by bin', content: { 'application/json': segments } },
      304: unchanged,
    },
    request(input) {
      const { filters, case_filters: caseFilters, bin_size: binSize, size, pretty } = input
      if (binSize < LEAST_BIN) {
        const message = `parameter bin_size is ${binSize}; give at least ${LEAST_BIN} bases`
        throw new EngineError('bad_input', message, { at: 'bin_size' })
      }
      checkAtMost('size', size, MAX_CASES)
      const request = { filters, caseFilters, binSize, size, pretty }
      return {
        input: { ...input, format: 'json' },
        fileName: 'copy_number_segments.json',
        run: (run) => serving.engine.mutationCounts.segments(request, run),
      }
    },
  })
}
