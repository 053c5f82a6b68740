import { z } from '@hono/zod-openapi'
import {
  ALL_FILE_RECODES,
  AUTO,
  chooseAlgorithms,
  DEFAULT_RECODES,
  FILE_RECODES,
  type FileRun,
  type Naaccr,
  RESULT_FORMATS,
  type RegistryFiles,
  type ResultFormat,
} from '../../engine/registry/index.ts'
import { type Caller, EngineError } from '../../engine/shared/index.ts'
import { requireParameter } from '../../engine/shared/internal.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import {
  counted,
  failing,
  fileBody,
  finishFlag,
  patientMembers,
  SUMMARY_TRAILER,
  streamResults,
  strictFlag,
  XML,
} from './file-body.ts'
import { LINES } from './line-batch.ts'
import { listParameter } from './query-parameters.ts'
import { authorise } from './security.ts'
import type { StagingEngine } from './staging-engine.ts'

export interface NaaccrFilesEngine extends StagingEngine {
  /** The public members: tests pass objects without the private fields of the class. */
  readonly naaccr: Pick<Naaccr, 'dictionary'>
  readonly files: Pick<RegistryFiles, keyof RegistryFiles>
}

const TYPES: Readonly<Record<ResultFormat, string>> = {
  ndjson: LINES,
  tsv: 'text/tab-separated-values',
  xml: XML,
}

const query = z.object({
  algorithm: z
    .string()
    .optional()
    .describe(
      `Staging algorithm; several, joined by commas, or ${AUTO} for all: each tumor by those that the table of ` +
        `algorithms has for its year, site and age. ${AUTO} when not given and several are loaded`,
    ),
  version: z
    .string()
    .optional()
    .describe('Of one algorithm: its version, or latest. Required then'),
  recode: listParameter(
    `Recodes of tumors and patients, such as seer or seer:2023, of ${FILE_RECODES.join(', ')}; ` +
      `${ALL_FILE_RECODES} for each, none for none. ` +
      `${DEFAULT_RECODES.join(', ')} when not given`,
  ),
  end_year: z
    .string()
    .optional()
    .describe(
      'Last year of the study, which survival-time needs; who was in contact after it counts as alive then',
    ),
  items: listParameter(
    'Items of the file to repeat with each tumor, by their XML ids, such as primarySite; up to 100',
  ),
  format: z
    .enum(RESULT_FORMATS)
    .optional()
    .describe(
      'ndjson: an object for each patient; tsv: a row for each tumor; xml: the file with its results as items',
    ),
  strict: strictFlag,
  finish: finishFlag,
})

const tumor = z.looseObject({
  line: z.int(),
  tumorRecordNumber: z.string().optional(),
  result: z.string(),
  schema_id: z.string().optional(),
  errors: z.array(z.unknown()),
  output: z.record(z.string(), z.string()),
  items: z.record(z.string(), z.string()).optional(),
})

const patientLine = z
  .looseObject({
    ...patientMembers,
    tumors: z.array(tumor).optional(),
  })
  .openapi('RegistryPatient')

const lastLine = z
  .object({ summary: z.object({ patients: z.int(), tumors: z.int(), counts: z.array(counted) }) })
  .openapi('RegistryFileSummary')

/** Endpoints that process registry files like the command `registry`. The summary comes last. */
export function naaccrFileEndpoints(engine: NaaccrFilesEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['POST'],
      path: '/rest/naaccr/process',
      summary: 'Stage, recode and compare the tumors of a NAACCR file of any size',
      description:
        'Patients are answered as the file is read, which may be sent as gzip (`Content-Encoding`). The last ' +
        'line of `ndjson` is the summary, or the error that ended the file, behind which the connection is ' +
        `broken off; other formats have the summary in the trailer \`${SUMMARY_TRAILER}\`. Dictionaries are ` +
        'those that were imported. A client that sends everything before it reads can send 64 MiB.',
      tags: ['naaccr'],
      parameters: query,
      content: { [XML]: z.string() },
      responses: {
        200: {
          description: 'The result, in the requested format.',
          content: {
            [LINES]: z.union([patientLine, lastLine]),
            [TYPES.tsv]: z.string(),
            [XML]: z.string(),
          },
        },
        ...failing({ 404: 'The algorithm or the version does not exist.' }),
      },
      security: [{ apiKeyScheme: [] }],
      handle: (call) => processFile(engine, call),
    }),
  ])
}

async function processFile(
  { keys, staging, naaccr, files }: NaaccrFilesEngine,
  call: Call<unknown, z.output<typeof query>>,
): Promise<Response> {
  const caller = await authorise(call.headers, keys, undefined)
  const {
    recode,
    items,
    end_year: endYear,
    format = 'ndjson',
    strict,
    finish,
    ...names
  } = call.query()
  const version = await requestedAlgorithms({ staging, files }, caller, names)
  const { chunks, ahead } = fileBody(call)
  const staged = await files.stage(chunks, {
    version,
    findDictionary: (uri) => naaccr.dictionary(uri),
    format,
    strict,
    endYear,
    items,
    recodes: recode?.filter((name) => name !== 'none'),
    signal: call.signal,
  })
  return streamResults(call, staged, { contentType: TYPES[format], ahead, finish })
}

/** Returns the requested version with its rules in the table, or the versions that the table chooses. */
async function requestedAlgorithms(
  { staging, files }: Pick<NaaccrFilesEngine, 'staging' | 'files'>,
  caller: Caller,
  {
    algorithm,
    version,
  }: { readonly algorithm?: string | undefined; readonly version?: string | undefined },
): Promise<FileRun['version']> {
  const rules = await files.algorithmRules()
  const chosen = await chooseAlgorithms(staging, caller, { rules, algorithm })
  if (chosen && version !== undefined) {
    const message = 'a version is of one algorithm; leave it out, or name one algorithm'
    throw new EngineError('bad_input', message, { at: 'version' })
  }
  if (chosen) return chosen
  const named = {
    algorithm: requireParameter(algorithm, 'algorithm'),
    version: requireParameter(version, 'version'),
  }
  const own = rules.filter((rule) => rule.algorithm === algorithm)
  return { algorithm: named.algorithm, version: staging.version(caller, named), rules: own }
}
