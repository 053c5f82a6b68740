import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import {
  availabilityParameters,
  requiredSize,
  requiredUnit,
  selectionParameters,
  valuesParameters,
} from './expression-parameters.ts'
import { answer, type Serving } from './release-answer.ts'
import { acceptedFormat } from './search-parameters.ts'

export interface ExpressionEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly expression: Pick<Commons['expression'], 'availability' | 'geneSelection' | 'values'>
}

interface ExpressionServing extends Serving {
  readonly engine: ExpressionEngine
}

type Sources = z.output<typeof availabilityParameters>

/** Expression of cases (data-commons-service.md 4.4, data-commons.md 6.2 to 6.4). */
export function expressionEndpoints(engine: ExpressionEngine, build: string): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze([
    availabilityEndpoint(serving),
    valuesEndpoint(serving),
    selectionEndpoint(serving),
  ])
}

const JSON_FORM = { format: 'json', attachment: false } as const
const sourcesOf = (input: Sources) => ({
  caseIds: input.case_ids,
  caseFilters: input.case_filters,
  caseSetId: input.case_set_id,
  cohortId: input.cohort_id,
  geneIds: input.gene_ids,
  geneSetId: input.gene_set_id,
})

const REFUSED = {
  description: 'A token is needed for controlled cases, is no good, or has no right.',
}

function section(id: 'case_id' | 'gene_id') {
  return z
    .object({
      details: z.array(z.object({ [id]: z.string(), has_gene_expression_values: z.boolean() })),
      with_gene_expression_count: z.int(),
      without_gene_expression_count: z.int(),
    })
    .optional()
    .describe('Absent when it was not asked for.')
}

function availabilityEndpoint(serving: ExpressionServing): Endpoint {
  return defineEndpoint({
    methods: ['POST'],
    path: '/gene_expression/availability',
    summary: 'Which cases and genes have expression values',
    tags: ['analysis'],
    compress: true,
    parameters: availabilityParameters,
    responses: {
      200: {
        description: 'One entry per distinct id, ascending; unknown ids have no values.',
        content: {
          'application/json': z.object({ cases: section('case_id'), genes: section('gene_id') }),
        },
      },
      400: { description: 'Nothing is asked for, or cases by several means.' },
    },
    async handle(call) {
      const request = sourcesOf(await call.input())
      return answer(call, serving, {
        key: '/gene_expression/availability',
        input: JSON_FORM,
        fileName: 'gene_expression_availability.json',
        run: (run) => serving.engine.expression.availability(request, run),
      })
    },
  })
}

function valuesEndpoint(serving: ExpressionServing): Endpoint {
  return defineEndpoint({
    methods: ['POST'],
    path: '/gene_expression/values',
    summary: 'Expression values of genes in cases',
    description:
      'A line per gene and a column per case that have values, both ascending by id; what is ' +
      'unknown is left out. Only protein-coding genes have values. An empty cell is no value.',
    tags: ['analysis'],
    compress: true,
    parameters: valuesParameters,
    responses: {
      200: {
        description: 'The table',
        content: {
          'text/tab-separated-values': z.string(),
          'text/csv': z.string(),
          'application/vnd.apache.arrow.stream': z.unknown(),
          'application/vnd.apache.parquet': z.unknown(),
        },
      },
      400: { description: 'Cases, genes or units are missing, or too many values are asked for.' },
      403: REFUSED,
    },
    security: [{}, { token: [] }],
    async handle(call) {
      const input = await call.input()
      const accepted = acceptedFormat(call.headers.get('accept'))
      const isTable = accepted === 'csv' || accepted === 'arrow' || accepted === 'parquet'
      const format = input.format ?? (isTable ? accepted : 'tsv')
      const { token } = call
      const unit = requiredUnit(input.tsv_units)
      const request = { ...sourcesOf(input), unit, format, token }
      const { attachment, filename } = input
      return answer(call, serving, {
        key: '/gene_expression/values',
        input: { format, attachment, filename },
        fileName: `gene_expression_values.${format}`,
        run: (run) => serving.engine.expression.values(request, run),
      })
    },
  })
}

const selection = z.object({
  gene_selection: z.array(
    z.object({
      log2_uqfpkm_stddev: z.number(),
      log2_uqfpkm_median: z.number(),
      gene_id: z.string(),
      symbol: z.string().nullable(),
    }),
  ),
})

function selectionEndpoint(serving: ExpressionServing): Endpoint {
  return defineEndpoint({
    methods: ['POST'],
    path: '/gene_expression/gene_selection',
    summary: 'The genes that vary most over cases',
    description:
      'By the population standard deviation of log2 of the value and 1, greatest first, of equal ' +
      'ones by median, then by id. Genes that do not vary are left out.',
    tags: ['analysis'],
    compress: true,
    parameters: selectionParameters,
    responses: {
      200: { description: 'The genes', content: { 'application/json': selection } },
      400: { description: 'Cases, genes or the size are missing or not accepted.' },
      403: REFUSED,
    },
    security: [{}, { token: [] }],
    async handle(call) {
      const input = await call.input()
      const { gene_type: geneType, min_median_log2_uqfpkm: leastMedian } = input
      const size = requiredSize(input.selection_size)
      const { token } = call
      const request = { ...sourcesOf(input), geneType, size, leastMedian, token }
      return answer(call, serving, {
        key: '/gene_expression/gene_selection',
        input: JSON_FORM,
        fileName: 'gene_selection.json',
        run: (run) => serving.engine.expression.geneSelection(request, run),
      })
    },
  })
}
