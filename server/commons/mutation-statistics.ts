import type { Commons } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { defineAnalysis } from './define-analysis.ts'
import { associationsResponses } from './mutation-statistics-answers.ts'
import { count, names, word } from './parameter-forms.ts'
import type { Serving } from './release-answer.ts'
import { searchParameters } from './search-parameters.ts'

export interface MutationStatisticsEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly mutationCounts: Pick<Commons['mutationCounts'], 'geneAssociations'>
}

interface MutationStatisticsServing extends Serving {
  readonly engine: MutationStatisticsEngine
}

const given = searchParameters.pick({
  filters: true,
  case_filters: true,
  pretty: true,
  attachment: true,
  filename: true,
})

const CHANGES = ['ssm', 'cnv', 'any'] as const

/** Maximum number of genes of which each pair is tested. */
const MAX_GENES = 50

const associationsParameters = given.extend({
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
  change: word('change', CHANGES, {
    description:
      'Changes that count: simple mutations, copy-number changes, or either. Cases that were not ' +
      'tested for them do not count; for `any`, those that were not tested for both.',
    default: 'ssm',
  }),
})

/** Endpoints for tests and summaries of the mutations of cases. */
export function mutationStatisticsEndpoints(
  engine: MutationStatisticsEngine,
  build: string,
): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze([associationsEndpoint(serving)])
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
      within('gene_ids', geneIds.length, MAX_GENES)
      within('gene_size', geneSize, MAX_GENES)
      const request = { filters, caseFilters, geneIds, geneSize, change, pretty }
      return {
        input: { ...input, format: 'json' },
        fileName: 'gene_associations.json',
        run: (run) => serving.engine.mutationCounts.geneAssociations(request, run),
      }
    },
  })
}

function within(name: string, value: number, most: number): void {
  if (value <= most) return
  const message = `parameter ${name} has ${value}; give at most ${most}`
  throw new EngineError('bad_input', message, { at: name })
}
