import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { caseTablesName } from './file-names.ts'
import { count, word } from './parameter-forms.ts'
import { answer, type Serving } from './release-answer.ts'
import { unchanged } from './search-answers.ts'
import { checkPaging, MAX_RECORDS, searchParameters } from './search-parameters.ts'

export interface CaseTablesEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly caseTables: Pick<Commons['caseTables'], 'of'>
}

interface CaseTablesServing extends Serving {
  readonly engine: CaseTablesEngine
}

const parameters = searchParameters
  .pick({ filters: true, case_filters: true, pretty: true, filename: true })
  .extend({
    size: count(
      'size',
      MAX_RECORDS,
      { description: 'Most cases to show, in the order of their ids.' },
      'case_tables_size',
    ),
    format: word(
      'format',
      ['tsv', 'json'],
      {
        description: 'An archive of tables, or an array of cases; in any letter case.',
        default: 'tsv',
      },
      'case_tables_format',
    ),
  })

const TABLES = {
  clinical: 'clinical, exposure, family_history, follow_up, pathology_detail',
  biospecimen: 'aliquot, analyte, portion, sample, slide',
} as const

/** Endpoints for clinical and biospecimen data of cases, as the portal downloads them (data-commons.md 11.42). */
export function caseTablesEndpoints(engine: CaseTablesEngine, build: string): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze([endpoint('clinical', serving), endpoint('biospecimen', serving)])
}

function endpoint(kind: keyof typeof TABLES, serving: CaseTablesServing): Endpoint {
  return defineEndpoint({
    methods: ['GET', 'POST'],
    path: `/${kind}_tar`,
    summary: `The ${kind} tables of cases`,
    description:
      `A tar.gz of the tables ${TABLES[kind]}, as TSV with the columns of the public service; ` +
      "a missing value is `'--`. With `format=JSON` an array of the cases.",
    tags: ['download'],
    compress: true,
    parameters,
    responses: {
      200: {
        description: 'The archive or the array',
        content: { 'application/x-gzip': z.unknown(), 'application/json': z.array(z.unknown()) },
      },
      304: unchanged,
    },
    async handle(call) {
      const input = await call.input()
      const { filters, case_filters: caseFilters, size, pretty, format = 'tsv' } = input
      checkPaging({ from: 0, size })
      const request = { filters, caseFilters, size, format, pretty }
      return answer(call, serving, {
        key: `/${kind}_tar`,
        input: { ...input, format, attachment: true },
        fileName: caseTablesName(kind, format, serving.engine.clock()),
        run: (run) => serving.engine.caseTables.of(kind, request, run),
      })
    },
  })
}
