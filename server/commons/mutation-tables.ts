import { z } from '@hono/zod-openapi'
import type { Commons, MutationTableRequest } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { tableName } from './file-names.ts'
import { text, word } from './parameter-forms.ts'
import { answer, type Serving } from './release-answer.ts'
import { unchanged } from './search-answers.ts'
import { searchParameters } from './search-parameters.ts'

export interface MutationTablesEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly mutationTables: Pick<Commons['mutationTables'], 'of'>
}

interface MutationTablesServing extends Serving {
  readonly engine: MutationTablesEngine
}

const parameters = searchParameters
  .pick({ filters: true, case_filters: true, pretty: true, attachment: true, filename: true })
  .extend({
    format: word(
      'format',
      ['tsv', 'json'],
      { description: 'A table, or an array of its rows; in any letter case.', default: 'tsv' },
      'mutation_table_format',
    ),
  })
const withGene = parameters.extend({
  gene_id: text('gene_id', { description: 'Required. The id of a gene.' }),
})
const withCase = parameters.extend({
  case_id: text('case_id', { description: 'Required. The id of a case.' }),
})

const COUNTED =
  'All rows, most cases first. `case_filters` selects the cases of the cohort, to which percentages ' +
  'relate; `filters` selects the genes and mutations that count.'

const TABLE_NOTES = {
  tags: ['analysis'],
  compress: true,
  responses: {
    200: {
      description: 'The table or the array',
      content: {
        'text/tab-separated-values': z.string(),
        'application/json': z.array(z.record(z.string(), z.unknown())),
      },
    },
    304: unchanged,
  },
} as const

const OF_ONE = {
  ...TABLE_NOTES.responses,
  404: { description: 'The release has no such gene or case.' },
} as const

/** Endpoints for the tables of genes and mutations that the portal downloads (data-commons.md 6.11). */
export function mutationTablesEndpoints(
  engine: MutationTablesEngine,
  build: string,
): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze([
    defineEndpoint({
      ...TABLE_NOTES,
      methods: ['GET', 'POST'],
      path: '/analysis/top_mutated_genes',
      summary: 'Genes that are mutated in a cohort, as a table',
      description: `${COUNTED} Gains and losses count the cases with such a \`cnv_change\` of the gene.`,
      parameters,
      handle: (call) => table(call, serving, 'top_mutated_genes', () => ({ records: 'genes' })),
    }),
    defineEndpoint({
      ...TABLE_NOTES,
      methods: ['GET', 'POST'],
      path: '/analysis/top_ssms',
      summary: 'Mutations of a cohort, as a table',
      description: COUNTED,
      parameters,
      handle: (call) => table(call, serving, 'top_ssms', () => ({ records: 'ssms' })),
    }),
    defineEndpoint({
      ...TABLE_NOTES,
      responses: OF_ONE,
      methods: ['GET', 'POST'],
      path: '/analysis/top_ssms_by_gene',
      summary: 'Mutations of a gene in a cohort, as a table',
      description: `${COUNTED} The denominator of percentages is the number of cases with a mutation in the gene.`,
      parameters: withGene,
      handle: (call) =>
        table(call, serving, 'top_ssms_by_gene', ({ gene_id: id }) => ({
          records: 'ssms',
          geneId: required('gene_id', id, 'gene'),
        })),
    }),
    defineEndpoint({
      ...TABLE_NOTES,
      responses: OF_ONE,
      methods: ['GET', 'POST'],
      path: '/analysis/top_ssms_by_case',
      summary: 'Mutations of a case, as a table',
      description: `${COUNTED} The cohort is restricted to the project of the case.`,
      parameters: withCase,
      handle: (call) =>
        table(call, serving, 'top_ssms_by_case', ({ case_id: id }) => ({
          records: 'ssms',
          caseId: required('case_id', id, 'case'),
        })),
    }),
  ])
}

type Input = z.output<typeof parameters>
type Listed = Pick<MutationTableRequest, 'records' | 'geneId' | 'caseId'>

async function table<Given extends Input>(
  call: Call<unknown, Given>,
  serving: MutationTablesServing,
  name: string,
  listed: (input: Given) => Listed,
): Promise<Response> {
  const input = await call.input()
  const { filters, case_filters: caseFilters, pretty, format = 'tsv' } = input
  const request = { ...listed(input), filters, caseFilters, pretty, format }
  return answer(call, serving, {
    key: `/analysis/${name}`,
    input: { ...input, format },
    fileName: tableName(name.replaceAll('_', '-'), format, serving.engine.clock()),
    run: (run) => serving.engine.mutationTables.of(request, run),
  })
}

function required(parameter: string, id: string | undefined, noun: string): string {
  if (id !== undefined) return id
  const message = `parameter ${parameter} is missing; give the id of a ${noun}`
  throw new EngineError('bad_input', message, { at: parameter })
}
