import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineAnalysis } from './define-analysis.ts'
import {
  availabilityParameters,
  coexpressionParameters,
  differentialParameters,
  requiredGene,
  requiredSize,
  requiredUnit,
  selectionParameters,
  setScoresParameters,
  valuesParameters,
} from './expression-parameters.ts'
import type { Serving } from './release-answer.ts'
import { acceptedFormat } from './search-parameters.ts'

export interface ExpressionEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly expression: Pick<
    Commons['expression'],
    'availability' | 'coexpression' | 'differential' | 'geneSelection' | 'setScores' | 'values'
  >
}

interface ExpressionServing extends Serving {
  readonly engine: ExpressionEngine
}

type Sources = z.output<typeof availabilityParameters>

/** Endpoints for expression of cases (data-commons-service.md 4.4, data-commons.md 6.2 to 6.4). */
export function expressionEndpoints(engine: ExpressionEngine, build: string): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze([
    availabilityEndpoint(serving),
    valuesEndpoint(serving),
    selectionEndpoint(serving),
    differentialEndpoint(serving),
    coexpressionEndpoint(serving),
    setScoresEndpoint(serving),
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

/** An optional token, for endpoints that read values, which may be controlled. */
const SECURITY = [{}, { token: [] }]

const REFUSED = {
  description:
    'Controlled cases require a token; the token is missing, not valid, or has no right to read them.',
}

function section(id: 'case_id' | 'gene_id') {
  return z
    .object({
      details: z.array(z.object({ [id]: z.string(), has_gene_expression_values: z.boolean() })),
      with_gene_expression_count: z.int(),
      without_gene_expression_count: z.int(),
    })
    .optional()
    .describe('Absent if it was not requested.')
}

function availabilityEndpoint(serving: ExpressionServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['POST'],
    path: '/gene_expression/availability',
    summary: 'Which cases and genes have expression values',
    parameters: availabilityParameters,
    responses: {
      200: {
        description: 'One entry per distinct id, ascending; unknown ids have no values.',
        content: {
          'application/json': z.object({ cases: section('case_id'), genes: section('gene_id') }),
        },
      },
      400: { description: 'Nothing is requested, or cases by several means.' },
    },
    request: (input) => ({
      input: JSON_FORM,
      fileName: 'gene_expression_availability.json',
      run: (run) => serving.engine.expression.availability(sourcesOf(input), run),
    }),
  })
}

function valuesEndpoint(serving: ExpressionServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['POST'],
    path: '/gene_expression/values',
    summary: 'Expression values of genes in cases',
    description:
      'A line for each gene and a column for each case with values, both in ascending order of ' +
      'ids. Unknown ids are left out. Only protein-coding genes have values. An empty cell means ' +
      'that there is no value.',
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
      400: { description: 'Cases, genes or units are missing, or too many values are requested.' },
      403: REFUSED,
    },
    security: SECURITY,
    request(input, { headers, token }) {
      const accepted = acceptedFormat(headers.get('accept'))
      const isTable = accepted === 'csv' || accepted === 'arrow' || accepted === 'parquet'
      const format = input.format ?? (isTable ? accepted : 'tsv')
      const unit = requiredUnit(input.tsv_units)
      const request = { ...sourcesOf(input), unit, format, token }
      const { attachment, filename } = input
      return {
        input: { format, attachment, filename },
        fileName: `gene_expression_values.${format}`,
        run: (run) => serving.engine.expression.values(request, run),
      }
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
  return defineAnalysis(serving, {
    methods: ['POST'],
    path: '/gene_expression/gene_selection',
    summary: 'The genes that vary most over cases',
    description:
      'By the population standard deviation of log2(value + 1), highest first; equal ones by ' +
      'median, then by id. Genes that do not vary are left out.',
    parameters: selectionParameters,
    responses: {
      200: { description: 'The genes', content: { 'application/json': selection } },
      400: { description: 'Cases, genes or the size are missing or not accepted.' },
      403: REFUSED,
    },
    security: SECURITY,
    request(input, { token }) {
      const { gene_type: geneType, min_median_log2_uqfpkm: leastMedian } = input
      const size = requiredSize(input.selection_size)
      const request = { ...sourcesOf(input), geneType, size, leastMedian, token }
      return {
        input: JSON_FORM,
        fileName: 'gene_selection.json',
        run: (run) => serving.engine.expression.geneSelection(request, run),
      }
    },
  })
}

const geneNames = { gene_id: z.string(), symbol: z.string().nullable() }
const number = z.number().nullable()

const difference = z.object({
  ...geneNames,
  cases: z.int(),
  other_cases: z.int(),
  log2_uqfpkm_median: number,
  other_log2_uqfpkm_median: number,
  log2_fold_change: number.describe(
    'Mean of log2 of the value and 1 of the first group less that of the second',
  ),
  statistic: number.describe('Pairs in which the first group has the greater value'),
  method: z.enum(['exact', 'normal']),
  p_value: number,
  adjusted_p_value: number.describe('After Benjamini and Hochberg, over the genes of the answer'),
})

/** Response types: JSON, or tables with its members as columns. */
const genesContent = (json: z.ZodType) => ({
  'application/json': json,
  'text/tab-separated-values': z.string(),
  'text/csv': z.string(),
})

function formatOf(format: 'json' | 'tsv' | 'csv' | undefined, accept: string | null) {
  const accepted = acceptedFormat(accept)
  return format ?? (accepted === 'tsv' || accepted === 'csv' ? accepted : 'json')
}

function differentialEndpoint(serving: ExpressionServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['POST'],
    path: '/gene_expression/differential',
    summary: 'How genes differ between two groups of cases',
    description:
      'Wilcoxon’s rank-sum test of each gene, smallest p-value first. It is exact when both groups ' +
      'have fewer than 50 values and none are equal, otherwise by the normal distribution with ' +
      'corrections for ties and continuity. Cases in both groups only count in the first.',
    parameters: differentialParameters,
    responses: {
      200: {
        description: 'The genes; none when a group has no values',
        content: genesContent(
          z.object({ cases: z.int(), other_cases: z.int(), genes: z.array(difference) }),
        ),
      },
      400: { description: 'Cases are missing or not accepted, or too many values are requested.' },
      403: REFUSED,
    },
    security: SECURITY,
    request(input, { headers, token }) {
      const { attachment, filename } = input
      const format = formatOf(input.format, headers.get('accept'))
      const request = {
        ...sourcesOf(input),
        format,
        token,
        otherCaseIds: input.other_case_ids,
        otherCaseFilters: input.other_case_filters,
      }
      return {
        input: { format, attachment, filename },
        fileName: `differential_expression.${format}`,
        run: (run) => serving.engine.expression.differential(request, run),
      }
    },
  })
}

const correlation = z.object({
  ...geneNames,
  cases: z.int().describe('In which both genes have a value'),
  pearson: number,
  pearson_p_value: number,
  pearson_adjusted_p_value: number,
  spearman: number,
  spearman_p_value: number,
  spearman_adjusted_p_value: number,
})

function coexpressionEndpoint(serving: ExpressionServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['POST'],
    path: '/gene_expression/coexpression',
    summary: 'Genes that correlate with a gene over cases',
    description:
      'Pearson and Spearman correlations of log2(value + 1), in descending order of the absolute ' +
      'Spearman correlation. P-values use Student’s t-distribution, and are corrected by ' +
      'Benjamini and Hochberg over the genes of the response.',
    parameters: coexpressionParameters,
    responses: {
      200: {
        description: 'The other genes',
        content: genesContent(
          z.object({ ...geneNames, cases: z.int(), genes: z.array(correlation) }),
        ),
      },
      400: { description: 'Cases or the gene are missing or not accepted, or too many values.' },
      403: REFUSED,
    },
    security: SECURITY,
    request(input, { headers, token }) {
      const { attachment, filename } = input
      const format = formatOf(input.format, headers.get('accept'))
      const geneId = requiredGene(input.gene_id)
      const request = { ...sourcesOf(input), geneId, format, token }
      return {
        input: { format, attachment, filename },
        fileName: `coexpression.${format}`,
        run: (run) => serving.engine.expression.coexpression(request, run),
      }
    },
  })
}

const setScore = z.object({
  case_id: z.string(),
  genes: z.int().describe('Number of genes of the set with a value'),
  score: number,
})

function setScoresEndpoint(serving: ExpressionServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['POST'],
    path: '/gene_expression/set_scores',
    summary: 'Mean expression of a gene set in each case',
    description:
      'The mean over the genes of the set of log2(value + 1), or of its z-scores over the requested ' +
      'cases (mean and sample standard deviation). With z-scores, genes that do not vary are left out.',
    parameters: setScoresParameters,
    responses: {
      200: {
        description: 'The cases with expression values',
        content: genesContent(
          z.object({
            method: z.enum(['mean', 'z-score']),
            genes: z.int().describe('Number of genes that count'),
            cases: z.array(setScore).describe('In the order of case ids'),
          }),
        ),
      },
      400: { description: 'Cases or genes are missing or not accepted, or too many values.' },
      403: REFUSED,
    },
    security: SECURITY,
    request(input, { headers, token }) {
      const { attachment, filename, method = 'mean' } = input
      const format = formatOf(input.format, headers.get('accept'))
      const request = { ...sourcesOf(input), method, format, token }
      return {
        input: { format, attachment, filename },
        fileName: `set_scores.${format}`,
        run: (run) => serving.engine.expression.setScores(request, run),
      }
    },
  })
}
