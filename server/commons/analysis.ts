import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import {
  changesResponses,
  countsResponses,
  gridResponses,
  topResponses,
} from './analysis-answers.ts'
import { defineAnalysis } from './define-analysis.ts'
import { count, names, text, word } from './parameter-forms.ts'
import type { Serving } from './release-answer.ts'
import { acceptedFormat, checkPaging, searchParameters } from './search-parameters.ts'

export interface AnalysisEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly mutationCounts: Pick<
    Commons['mutationCounts'],
    'byGenes' | 'byProject' | 'geneChanges' | 'oncogrid' | 'top'
  >
}

interface AnalysisServing extends Serving {
  readonly engine: AnalysisEngine
}

const filters = { filters: true, case_filters: true } as const
const shown = { pretty: true, attachment: true, filename: true } as const

const TOP_FORMATS = ['json', 'tsv', 'csv'] as const

type TopFormat = (typeof TOP_FORMATS)[number]

const topParameters = searchParameters
  .pick({
    ...filters,
    ...shown,
    fields: true,
    expand: true,
    size: true,
    from: true,
  })
  .extend({
    format: word(
      'format',
      TOP_FORMATS,
      {
        description:
          'Format of the response. By default, JSON, or TSV or CSV if the `Accept` header ' +
          'prefers it.',
        default: 'json',
      },
      'top_format',
    ),
  })

const geneParameters = searchParameters.pick({ ...filters, ...shown }).extend({
  gene_ids: names('gene_ids', {
    description: 'Ids of at most 1,000 genes.',
  }),
  include: word('include', ['cnv'], {
    description: '`cnv` also counts copy-number changes.',
  }),
  format: z.unknown().optional().openapi({ description: 'Not accepted here.' }),
  fields: z.unknown().optional().openapi({ description: 'Not accepted here.' }),
})

const projectParameters = searchParameters.pick({ ...filters, ...shown, size: true })

/** Endpoints that count mutations (data-commons-service.md 4.4, data-commons.md 6.6, 6.7, 6.9). */
export function analysisEndpoints(engine: AnalysisEngine, build: string): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze([
    topEndpoint('gene', serving),
    topEndpoint('case', serving),
    genesEndpoint(serving),
    projectsEndpoint(serving),
    oncogridEndpoint(serving),
    changesEndpoint(serving),
  ])
}

const TOP = {
  gene: {
    path: '/analysis/top_mutated_genes_by_project',
    summary: 'Genes that are mutated in the most cases',
    description:
      'Fields of genes have no prefix or `gene.`. Those of a case have `case.`, and those of its ' +
      'mutations of the gene `ssm.` or `cnv.`. `_score` is the number of cases that satisfy all ' +
      'conditions together. Without a condition on mutations, only cases with a simple mutation ' +
      'count.',
  },
  case: {
    path: '/analysis/top_mutated_cases_by_gene',
    summary: 'Cases with the most mutated genes',
    description:
      'Fields of cases have no prefix or `case.`. Those of a gene have `gene.`, and those of its ' +
      'mutations in the case `ssm.` or `cnv.`. `_score` is the number of genes that satisfy all ' +
      'conditions together. Without a condition on mutations, only genes with a simple mutation ' +
      'count.',
  },
} as const

function topEndpoint(by: 'case' | 'gene', serving: AnalysisServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    ...TOP[by],
    parameters: topParameters,
    responses: topResponses,
    request(input, { headers }) {
      checkPaging(input)
      const { filters, case_filters: caseFilters, fields, expand, from, size, pretty } = input
      const accepted = acceptedFormat(headers.get('accept'))
      const isTable = accepted === 'tsv' || accepted === 'csv'
      const format = input.format ?? (isTable ? accepted : 'json')
      const isBare = input.attachment
      const request = { filters, caseFilters, fields, expand, from, size, format, pretty, isBare }
      return {
        ...answerForm(TOP[by].path, input, format),
        run: (run) => serving.engine.mutationCounts.top(by, request, run),
      }
    },
  })
}

const MAX_GENES = 1000

function genesEndpoint(serving: AnalysisServing): Endpoint {
  const path = '/analysis/top_cases_counts_by_genes'
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path,
    summary: 'Cases of each project with mutations in some genes',
    description:
      'Simple mutations count; with `include=cnv`, copy-number changes do, too. ' +
      '`genes.doc_count` is the number of changed genes of these cases, summed over the cases, ' +
      'and `my_genes` counts those that are listed. `filters` select the cases.',
    parameters: geneParameters,
    responses: countsResponses,
    request(input) {
      for (const name of ['format', 'fields'] as const) refuse(name, input[name])
      const { filters, case_filters: caseFilters, gene_ids: geneIds, include, pretty } = input
      if (geneIds.length === 0 || geneIds.length > MAX_GENES) {
        const message = `parameter gene_ids names ${geneIds.length} genes; give 1 to ${MAX_GENES}`
        throw new EngineError('bad_input', message, { at: 'gene_ids' })
      }
      const request = { filters, caseFilters, geneIds, include, pretty }
      return {
        ...answerForm(path, input),
        run: (run) => serving.engine.mutationCounts.byGenes(request, run),
      }
    },
  })
}

/** Rejects a parameter that has no effect here. Empty ones are accepted, as some clients send every parameter. */
function refuse(name: string, given: unknown): void {
  if (given === undefined || String(given).trim() === '') return
  const message = `parameter ${name} cannot be used here; leave it out`
  throw new EngineError('bad_input', message, { at: name })
}

function projectsEndpoint(serving: AnalysisServing): Endpoint {
  const path = '/analysis/mutated_cases_count_by_project'
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path,
    summary: 'Cases of each project, and those with data on mutations',
    description:
      '`case_summary.doc_count` is the number of data categories in which a case has files, ' +
      'summed over the cases. `filters` select the cases. `size` has no effect, since no hits ' +
      'are listed.',
    parameters: projectParameters,
    responses: countsResponses,
    request(input) {
      const { filters, case_filters: caseFilters, pretty } = input
      const request = { filters, caseFilters, pretty }
      return {
        ...answerForm(path, input),
        run: (run) => serving.engine.mutationCounts.byProject(request, run),
      }
    },
  })
}

/** Limits on a grid. Each cell is part of the response, and a browser cannot show more. */
const MAX_GRID = { gene_ids: 200, gene_size: 200, case_size: 2000 } as const

const gridParameters = searchParameters.pick({ ...filters, ...shown }).extend({
  gene_ids: names('gene_ids', {
    description: 'Ids of at most 200 genes. By default, those that are mutated in the most cases.',
  }),
  gene_size: count('gene_size', 50, { description: 'Maximum number of genes, at most 200.' }),
  case_size: count('case_size', 500, { description: 'Maximum number of cases, at most 2,000.' }),
})

function oncogridEndpoint(serving: AnalysisServing): Endpoint {
  const path = '/analysis/oncogrid'
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path,
    summary: 'A grid of genes by cases, with their mutations and copy-number changes',
    description:
      'Genes are in descending order of their cases with a simple mutation. Cases are ordered by ' +
      'the first gene in which they differ: a simple mutation comes before a copy-number change, ' +
      'and that before none. `filters` select the cases.',
    parameters: gridParameters,
    responses: gridResponses,
    request(input) {
      const { filters, case_filters: caseFilters, gene_ids: geneIds, pretty } = input
      const { gene_size: geneSize, case_size: caseSize } = input
      within('gene_ids', geneIds.length)
      within('gene_size', geneSize)
      within('case_size', caseSize)
      const request = { filters, caseFilters, geneIds, geneSize, caseSize, pretty }
      return {
        ...answerForm(path, input),
        run: (run) => serving.engine.mutationCounts.oncogrid(request, run),
      }
    },
  })
}

function within(name: keyof typeof MAX_GRID, given: number): void {
  if (given <= MAX_GRID[name]) return
  const what = name === 'gene_ids' ? `names ${given} genes` : `is ${given}`
  const message = `parameter ${name} ${what}; give at most ${MAX_GRID[name]}`
  throw new EngineError('bad_input', message, { at: name })
}

const MAX_MUTATIONS = 10_000

const changesParameters = searchParameters.pick({ ...filters, ...shown }).extend({
  gene_id: text('gene_id', { description: 'Required. The id of a gene.' }),
  size: count(
    'size',
    1000,
    { description: 'Maximum number of listed mutations, at most 10,000.' },
    'mutation_size',
  ),
})

function changesEndpoint(serving: AnalysisServing): Endpoint {
  const path = '/analysis/gene_changes'
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path,
    summary: 'Changes of a gene: cases by project, by mutation and by copy-number change',
    description:
      '`filters` select the cases. A case is tested if it has data on mutations, or on copy ' +
      'numbers. `mutations` has the ids of the mutations of the gene, those of the most cases ' +
      'first.',
    parameters: changesParameters,
    responses: changesResponses,
    request(input) {
      const { filters, case_filters: caseFilters, gene_id: geneId, size, pretty } = input
      if (geneId === undefined) {
        const message = 'parameter gene_id is missing; give the id of a gene'
        throw new EngineError('bad_input', message, { at: 'gene_id' })
      }
      if (size > MAX_MUTATIONS) {
        const message = `parameter size is ${size}; give at most ${MAX_MUTATIONS}`
        throw new EngineError('bad_input', message, { at: 'size' })
      }
      const request = { filters, caseFilters, geneId, size, pretty }
      return {
        ...answerForm(path, input),
        run: (run) => serving.engine.mutationCounts.geneChanges(request, run),
      }
    },
  })
}

/** Returns the input and the file name of a request. */
function answerForm<Input extends object>(path: string, input: Input, format: TopFormat = 'json') {
  return {
    input: { ...input, format },
    fileName: `${path.slice(path.lastIndexOf('/') + 1)}.${format}`,
  }
}
