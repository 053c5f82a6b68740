import type { Commons } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import {
  CHANGE,
  casesParameters,
  checkAtMost,
  checkListing,
  LISTING,
} from './analysis-parameters.ts'
import { defineAnalysis } from './define-analysis.ts'
import {
  associationsResponses,
  burdenResponses,
  copyNumbersResponses,
} from './mutation-statistics-answers.ts'
import { count, flag, names, text } from './parameter-forms.ts'
import type { Serving } from './release-answer.ts'
import { segmentsEndpoint } from './segments.ts'

export interface MutationStatisticsEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly mutationCounts: Pick<
    Commons['mutationCounts'],
    'burden' | 'copyNumbers' | 'geneAssociations' | 'segments'
  >
}

interface MutationStatisticsServing extends Serving {
  readonly engine: MutationStatisticsEngine
}

/** Maximum number of genes of which each pair is tested. */
const MAX_GENES = 50

const associationsParameters = casesParameters.extend({
  gene_ids: names(
    'gene_ids',
    {
      description:
        'Ids of at most 50 genes. By default, those that are changed in the most tested cases.',
    },
    'associated_gene_ids',
  ),
  gene_size: count(
    'gene_size',
    20,
    { description: 'Maximum number of genes, at most 50.' },
    'associated_gene_size',
  ),
  change: CHANGE,
})

/** Endpoints for tests and summaries of the mutations of cases. */
export function mutationStatisticsEndpoints(
  engine: MutationStatisticsEngine,
  build: string,
): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze([
    associationsEndpoint(serving),
    copyNumbersEndpoint(serving),
    burdenEndpoint(serving),
    segmentsEndpoint(serving),
  ])
}

function associationsEndpoint(serving: MutationStatisticsServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path: '/analysis/gene_associations',
    summary: 'Mutual exclusivity and co-occurrence of changes in pairs of genes',
    description:
      'Fisher’s exact test of each pair of genes over the tested cases, with the logarithm of the ' +
      'odds ratio and its interval, and q-values over all pairs (Benjamini and Hochberg). ' +
      '`filters` select the cases.',
    parameters: associationsParameters,
    responses: associationsResponses,
    request(input) {
      const { filters, case_filters: caseFilters, gene_ids: geneIds, pretty } = input
      const { gene_size: geneSize, change = 'ssm' } = input
      checkAtMost('gene_ids', geneIds.length, MAX_GENES)
      checkAtMost('gene_size', geneSize, MAX_GENES)
      const request = { filters, caseFilters, geneIds, geneSize, change, pretty }
      return {
        input: { ...input, format: 'json' },
        fileName: 'gene_associations.json',
        run: (run) => serving.engine.mutationCounts.geneAssociations(request, run),
      }
    },
  })
}

const copyNumbersParameters = casesParameters.extend({
  gene_id: text('gene_id', { description: 'Required. The id of a gene.' }),
})

function copyNumbersEndpoint(serving: MutationStatisticsServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path: '/analysis/gene_copy_numbers',
    summary: 'Copy number of a gene by project',
    description:
      'Numbers of cases that were tested for copy numbers, by project and by change of the gene. ' +
      '`filters` select the cases.',
    parameters: copyNumbersParameters,
    responses: copyNumbersResponses,
    request(input) {
      const { filters, case_filters: caseFilters, gene_id: geneId, pretty } = input
      if (geneId === undefined) {
        const message = 'parameter gene_id is missing; give the id of a gene'
        throw new EngineError('bad_input', message, { at: 'gene_id' })
      }
      const request = { filters, caseFilters, geneId, pretty }
      return {
        input: { ...input, format: 'json' },
        fileName: 'gene_copy_numbers.json',
        run: (run) => serving.engine.mutationCounts.copyNumbers(request, run),
      }
    },
  })
}

const burdenParameters = casesParameters.extend({
  ...LISTING,
  contexts: flag('contexts', {
    description:
      'Whether to count substitutions also by the bases around them: the 96 contexts of mutational ' +
      'signatures.',
  }),
})

function burdenEndpoint(serving: MutationStatisticsServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path: '/analysis/mutation_burden',
    summary: 'Number of simple mutations of each case, by class of substitution',
    description:
      'Of the cases that were tested for simple mutations: median and quartiles of the number of ' +
      'mutations, in all and by project, and the cases, most mutated first. Classes are the six ' +
      'substitutions of a base, named by the pyrimidine, insertions, deletions and others. ' +
      '`filters` select the cases.',
    parameters: burdenParameters,
    responses: burdenResponses,
    request(input) {
      const { filters, case_filters: caseFilters, size, from, contexts, pretty } = input
      checkListing(input)
      const request = { filters, caseFilters, size, from, contexts, pretty }
      return {
        input: { ...input, format: 'json' },
        fileName: 'mutation_burden.json',
        run: (run) => serving.engine.mutationCounts.burden(request, run),
      }
    },
  })
}
