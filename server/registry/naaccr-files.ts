import { z } from '@hono/zod-openapi'
import {
  ALL_FILE_RECODES,
  AUTO,
  chooseAlgorithms,
  DEFAULT_RECODES,
  FILE_RECODES,
  type FileRun,
  type FileSummary,
  type Naaccr,
  RESULT_FORMATS,
  type RegistryFiles,
  type ResultFormat,
  type StagedFile,
} from '../../engine/registry/index.ts'
import { type Caller, EngineError } from '../../engine/shared/index.ts'
import { inflated, requireParameter } from '../../engine/shared/internal.ts'
import { requirePlain } from '../http/body.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { besideReading, type ReadAhead } from '../http/read-ahead.ts'
import { registryFailures } from './errors.ts'
import { requireMediaType } from './json-body.ts'
import { LINES, MAX_AHEAD_BYTES } from './line-batch.ts'
import { UNCACHED } from './operation.ts'
import { flag, listParameter } from './query-parameters.ts'
import { authorise } from './security.ts'
import type { StagingEngine } from './staging-engine.ts'

export interface NaaccrFilesEngine extends StagingEngine {
  /** Only its methods, so that tests can replace it. */
  readonly naaccr: Pick<Naaccr, 'dictionary'>
  readonly files: Pick<RegistryFiles, keyof RegistryFiles>
}

const XML = 'application/xml'
const FILE_TYPE =
  /^(?:application\/(?:[\w.+-]+\+)?xml|application\/octet-stream|text\/(?:xml|plain))\s*(?:;|$)/i
const TYPES: Readonly<Record<ResultFormat, string>> = {
  ndjson: LINES,
  tsv: 'text/tab-separated-values',
  xml: XML,
}

/** Chunk size of decompressed data, similar to what other bodies deliver at a time. */
const INFLATED_BYTES = 64 << 10
/** Maximum ratio of decompression. Registry files compress up to forty times. */
const MAX_INFLATION = 200
const ALWAYS_INFLATED_BYTES = 8 << 20

const SUMMARY_TRAILER = 'X-Casemill-Summary'
/** Maximum number of counts per kind in the trailer, because clients accept a few KiB of headers. */
const MAX_TOLD = 10

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
  format: z
    .enum(RESULT_FORMATS)
    .optional()
    .describe(
      'ndjson: an object for each patient; tsv: a row for each tumor; xml: the file with its results as items',
    ),
  strict: flag
    .optional()
    .describe(
      'true: an item out of place, doubled or not of the standard form ends the file; false when not given',
    ),
})

const counted = z.object({
  kind: z.string(),
  code: z.string(),
  of: z.string().optional(),
  count: z.int(),
  line: z.int().describe('Where it was first'),
})

const tumor = z.looseObject({
  line: z.int(),
  tumorRecordNumber: z.string().optional(),
  result: z.string(),
  schema_id: z.string().optional(),
  errors: z.array(z.unknown()),
  output: z.record(z.string(), z.string()),
})

const patientLine = z
  .looseObject({
    line: z.int().describe('In the file, from 1'),
    patientIdNumber: z.string().optional(),
    tumors: z.array(tumor).optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
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
        'those that were imported. Of clients that send all before they read, 64 MiB are held.',
      tags: ['naaccr'],
      parameters: query,
      content: { [XML]: z.string() },
      responses: {
        200: {
          description: 'As asked.',
          content: {
            [LINES]: z.union([patientLine, lastLine]),
            [TYPES.tsv]: z.string(),
            [XML]: z.string(),
          },
        },
        ...failing(),
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
  const { recode, end_year: endYear, format = 'ndjson', strict, ...asked } = call.query()
  const version = await askedAlgorithms({ staging, files }, caller, asked)
  requireMediaType(call.headers, FILE_TYPE, XML)
  const isGzip = /^\s*(?:x-)?gzip\s*$/i.test(call.headers.get('content-encoding') ?? '')
  if (!isGzip) requirePlain(call.headers)
  const body = call.readAhead(MAX_AHEAD_BYTES, isGzip)
  const staged = await files.stage(isGzip ? inflatedBody(body) : wholeBody(body), {
    version,
    findDictionary: (uri) => naaccr.dictionary(uri),
    ...{
      format,
      strict,
      endYear,
      recodes: recode?.filter((name) => name !== 'none'),
      signal: call.signal,
    },
  })
  const isLines = format === 'ndjson'
  const answer = isLines ? withLastLine(staged) : staged.body
  return call.stream(
    { ...staged, body: besideReading(answer, body) },
    {
      status: 200,
      headers: { ...UNCACHED, 'Content-Type': TYPES[format] },
      ...(!isLines && { trailers: { [SUMMARY_TRAILER]: () => briefly(staged.summary()) } }),
    },
  )
}

/** Returns the requested version with its rules in the table, or the versions that the table chooses. */
async function askedAlgorithms(
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

/**
 * Yields the body.
 * @throws EngineError `too_large` if a part of it was dropped
 */
async function* wholeBody(body: ReadAhead): AsyncGenerator<Uint8Array> {
  yield* body.chunks()
  if (!body.isCut) return
  const message =
    `more than ${MAX_AHEAD_BYTES} bytes of the file came before its answers were read; ` +
    'read while you send, or send it as gzip'
  throw new EngineError('too_large', message)
}

/** Decompresses the body. Starts when it is read, so that a rejected body leaves nothing behind. */
async function* inflatedBody(body: ReadAhead): AsyncGenerator<Uint8Array> {
  let came = 0
  let made = 0
  async function* counted() {
    for await (const chunk of wholeBody(body)) {
      came += chunk.length
      yield chunk
    }
  }
  try {
    for await (const chunk of inflated(counted(), INFLATED_BYTES)) {
      made += chunk.length
      if (made > ALWAYS_INFLATED_BYTES + MAX_INFLATION * came) {
        const message = `the body inflates to more than ${MAX_INFLATION} times its bytes; send it as it is`
        throw new EngineError('too_large', message)
      }
      yield chunk
    }
  } catch (cause) {
    const isDamage = cause instanceof Error && 'code' in cause && /^Z_/.test(String(cause.code))
    if (!isDamage) throw cause
    const message = 'the body is no whole gzip, as Content-Encoding says; send it anew'
    throw new EngineError('bad_input', message, { at: 'body', cause })
  }
}

/**
 * Yields the result lines and the summary. On failure the last line is the error, because a broken connection
 * would not say why.
 */
async function* withLastLine({ body, summary }: StagedFile): AsyncGenerator<Uint8Array> {
  let isBegun = false
  try {
    for await (const chunk of body) {
      yield chunk
      isBegun = true
    }
  } catch (error) {
    if (isBegun && error instanceof EngineError) {
      const { code, message, at } = error
      yield lineOf({ error: { code, message, ...(at && { at }) } })
    }
    throw error
  }
  yield lineOf({ summary: summary() })
}

const lineOf = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`)

/** Formats the summary in ASCII, with the most frequent counts of each kind. */
function briefly({ counts, ...others }: FileSummary): string {
  const kinds = Map.groupBy(counts, ({ kind }) => kind)
  const most = [...kinds.values()].flatMap((some) => some.slice(0, MAX_TOLD))
  return JSON.stringify({ ...others, counts: most }).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function failing() {
  const notes: Record<number, string> = {
    400: 'The file or a parameter is not accepted, or the dictionary of the file is not there.',
    401: 'The key is missing or not valid.',
    404: 'The algorithm or the version does not exist.',
    413: 'The body inflates to too much.',
    415: 'The body is neither XML nor text, or has another coding than gzip.',
    503: 'Too many batches are under way; one may be sent again soon.',
  }
  const content = { 'application/json': registryFailures.schema }
  return Object.fromEntries(
    Object.entries(notes).map(([code, description]) => [code, { description, content }]),
  )
}
