import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { countsResponses, topResponses } from './analysis-answers.ts'
import { names, word } from './parameter-forms.ts'
import { answer, type Serving } from './release-answer.ts'
import { acceptedFormat, checkPaging, searchParameters } from './search-parameters.ts'

export interface AnalysisEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly mutationCounts: Pick<Commons['mutationCounts'], 'byGenes' | 'byProject' | 'top'>
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
    ...{ ...filters, ...shown },
    ...{ fields: true, expand: true, size: true, from: true },
  })
  .extend({
    format: word(
      'format',
      TOP_FORMATS,
      {
        description:
          'The form of the answer. Where it is absent, an `Accept` header that prefers TSV or CSV decides; otherwise JSON.',
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
    description: 'Copy-number changes count besides mutations.',
  }),
  format: z.unknown().optional().openapi({ description: 'Not accepted here.' }),
  fields: z.unknown().optional().openapi({ description: 'Not accepted here.' }),
})

const projectParameters = searchParameters.pick({ ...filters, ...shown, size: true })

/** Counts of mutations by case, gene and project (data-commons-service.md 4.4, data-commons.md 6.6, 6.7, 6.9). */
export function analysisEndpoints(engine: AnalysisEngine, build: string): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze([
    topEndpoint('gene', serving),
    topEndpoint('case', serving),
    genesEndpoint(serving),
    projectsEndpoint(serving),
  ])
}

const TOP = {
  gene: {
    path: '/analysis/top_mutated_genes_by_project',
    summary: 'Genes that are mutated in the most cases',
    description:
      'Fields of genes bear no prefix or `gene.`; `case.` and `ssm.`, `cnv.` name those of a case ' +
      'and of its mutations of the gene. `_score` is the number of cases that satisfy all ' +
      'conditions together. Without a condition on mutations a case has to have a simple one.',
  },
  case: {
    path: '/analysis/top_mutated_cases_by_gene',
    summary: 'Cases with the most mutated genes',
    description:
      'Fields of cases bear no prefix or `case.`; `gene.` and `ssm.`, `cnv.` name those of a gene ' +
      'and of its mutations in the case. `_score` is the number of genes that satisfy all ' +
      'conditions together. Without a condition on mutations a gene has to have a simple one.',
  },
} as const

function topEndpoint(by: 'case' | 'gene', serving: AnalysisServing): Endpoint {
  return defineEndpoint({
    methods: ['GET', 'POST'],
    ...TOP[by],
    tags: ['analysis'],
    compress: true,
    parameters: topParameters,
    responses: topResponses,
    async handle(call) {
      const input = await call.input()
      checkPaging(input)
      const { filters, case_filters: caseFilters, fields, expand, from, size, pretty } = input
      const accepted = acceptedFormat(call.headers.get('accept'))
      const isTable = accepted === 'tsv' || accepted === 'csv'
      const format = input.format ?? (isTable ? accepted : 'json')
      const request = { filters, caseFilters, fields, expand, from, size, format, pretty }
      return answer(call, serving, {
        ...asked(TOP[by].path, input, format),
        run: (run) => serving.engine.mutationCounts.top(by, request, run),
      })
    },
  })
}

const MAX_GENES = 1000

function genesEndpoint(serving: AnalysisServing): Endpoint {
  const path = '/analysis/top_cases_counts_by_genes'
  return defineEndpoint({
    methods: ['GET', 'POST'],
    path,
    summary: 'Cases of each project with mutations in some genes',
    description:
      'Simple mutations count, and with `include=cnv` copy-number changes too. `genes.doc_count` is ' +
      'the number of genes changed in these cases, summed over the cases; `my_genes` those of them ' +
      'that are listed. `filters` restricts the cases.',
    tags: ['analysis'],
    compress: true,
    parameters: geneParameters,
    responses: countsResponses,
    async handle(call) {
      const input = await call.input()
      for (const name of ['format', 'fields'] as const) refuse(name, input[name])
      const { filters, case_filters: caseFilters, gene_ids: geneIds, include, pretty } = input
      if (geneIds.length === 0 || geneIds.length > MAX_GENES) {
        const message = `parameter gene_ids names ${geneIds.length} genes; give 1 to ${MAX_GENES}`
        throw new EngineError('bad_input', message, { at: 'gene_ids' })
      }
      const request = { filters, caseFilters, geneIds, include, pretty }
      return answer(call, serving, {
        ...asked(path, input),
        run: (run) => serving.engine.mutationCounts.byGenes(request, run),
      })
    },
  })
}

/** The frame is always the same. Clients that send every parameter they know leave these empty. */
function refuse(name: string, given: unknown): void {
  if (given === undefined || String(given).trim() === '') return
  const message = `parameter ${name} cannot be used here; leave it out`
  throw new EngineError('bad_input', message, { at: name })
}

function projectsEndpoint(serving: AnalysisServing): Endpoint {
  const path = '/analysis/mutated_cases_count_by_project'
  return defineEndpoint({
    methods: ['GET', 'POST'],
    path,
    summary: 'Cases of each project, and those with data on mutations',
    description:
      '`case_summary.doc_count` is the number of categories of data that the cases have files of, ' +
      'summed over the cases. `filters` restricts the cases; `size` has no effect, since no hits ' +
      'are listed.',
    tags: ['analysis'],
    compress: true,
    parameters: projectParameters,
    responses: countsResponses,
    async handle(call) {
      const input = await call.input()
      const { filters, case_filters: caseFilters, pretty } = input
      const request = { filters, caseFilters, pretty }
      return answer(call, serving, {
        ...asked(path, input),
        run: (run) => serving.engine.mutationCounts.byProject(request, run),
      })
    },
  })
}

/** What distinguishes a request from all others, and how its answer is called on a disk. */
function asked<Input extends object>(path: string, input: Input, format: TopFormat = 'json') {
  const fileName = `${path.slice(path.lastIndexOf('/') + 1)}.${format}`
  return { key: path, input: { ...input, format }, fileName }
}
