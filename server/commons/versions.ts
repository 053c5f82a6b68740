import { z } from '@hono/zod-openapi'
import { type Commons, idsOfManifest } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { type Call, defineEndpoint, type Endpoint, MAX_PARAMETER_BYTES } from '../http/endpoint.ts'
import { splitIds } from './download-parameters.ts'
import { answer, type Serving } from './release-answer.ts'
import { acceptedFormat, recordParameters } from './search-parameters.ts'
import { historyResponses, versionResponses } from './version-answers.ts'

export interface VersionsEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly versions: Pick<Commons['versions'], 'history' | 'versions'>
}

const common = recordParameters.omit({ fields: true, expand: true })

const listed = common.extend({
  ids: z
    .unknown()
    // Nulls were removed from bodies before (server/http/body.ts).
    .refine((given) => given !== null)
    .optional()
    .openapi({
      anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }],
      description:
        'Ids of files; nested arrays are flattened. A query string or a form can also have one ' +
        'text with commas. Unknown ids are left out of the response.',
    }),
})

const TAGS = ['versions']
const NOTE = 'As JSON, TSV or CSV. Open to everybody, controlled files too.'

interface VersionsServing extends Serving {
  readonly engine: VersionsEngine
}

/** Endpoints for versions of files, without token (data-commons-service.md 4.2, data-commons.md 4.1, 11.16). */
export function versionsEndpoints(engine: VersionsEngine, build: string): readonly Endpoint[] {
  const serving = { engine, build }
  return Object.freeze([
    historyEndpoint(serving),
    listedEndpoint(serving),
    namedEndpoint(serving),
    manifestEndpoint(serving),
  ])
}

function historyEndpoint(serving: VersionsServing): Endpoint {
  return defineEndpoint({
    methods: ['GET'],
    path: '/history/{file_id}',
    summary: 'All versions of a file, from the id of any of them',
    description: NOTE,
    tags: TAGS,
    compress: true,
    pathParameters: z.object({ file_id: z.string() }),
    parameters: common,
    responses: historyResponses,
    async handle(call) {
      const id = call.path.file_id
      const { format, input } = formOf(call, await call.input())
      const form = { format, pretty: input.pretty }
      return answer(call, serving, {
        key: `/history/${id}`,
        input,
        fileName: `history.${format}`,
        run: (run) => serving.engine.versions.history(id, form, run),
      })
    },
  })
}

function listedEndpoint(serving: VersionsServing): Endpoint {
  return defineEndpoint({
    methods: ['GET', 'POST'],
    path: '/files/versions',
    summary: 'Files with their latest versions, by a list of ids',
    description: NOTE,
    tags: TAGS,
    compress: true,
    parameters: listed,
    responses: versionResponses,
    async handle(call) {
      const { ids, ...input } = await call.input()
      const type = call.headers.get('content-type') ?? ''
      const isJson = !call.isRead && !/^\s*(application\/x-www-form-urlencoded|$)/i.test(type)
      return versionsAnswer(call, serving, input, isJson ? (ids ?? []) : separated(ids))
    },
  })
}

function namedEndpoint(serving: VersionsServing): Endpoint {
  return defineEndpoint({
    methods: ['GET'],
    path: '/files/versions/{file_ids}',
    summary: 'Files with their latest versions, by ids separated by commas',
    description: NOTE,
    tags: TAGS,
    compress: true,
    pathParameters: z.object({ file_ids: z.string() }),
    parameters: common,
    responses: versionResponses,
    async handle(call) {
      return versionsAnswer(call, serving, await call.input(), separated(call.path.file_ids))
    },
  })
}

function manifestEndpoint(serving: VersionsServing): Endpoint {
  return defineEndpoint({
    methods: ['POST'],
    path: '/files/versions/manifest',
    summary: 'Files with their latest versions, by a download manifest',
    description: `${NOTE} Only the column \`id\` of the body is read.`,
    tags: TAGS,
    compress: true,
    parameters: common,
    content: { 'text/tsv': z.string(), 'text/tab-separated-values': z.string() },
    responses: versionResponses,
    async handle(call) {
      const input = call.query()
      // curl sends the manifest with the content type of a form, so the type is ignored (data-commons.md 4.1).
      const ids = idsOfManifest(await call.body(MAX_PARAMETER_BYTES))
      return versionsAnswer(call, serving, input, ids)
    },
  })
}

type Common = z.output<typeof common>

function versionsAnswer(
  call: Call<unknown, unknown>,
  serving: VersionsServing,
  given: Common,
  ids: unknown,
): Promise<Response> {
  const { format, input } = formOf(call, given)
  const form = { format, pretty: input.pretty }
  return answer(call, serving, {
    key: '/files/versions',
    input: { ...input, ...(call.isRead ? { ids } : {}) },
    fileName: `versions.${format}`,
    run: (run) => serving.engine.versions.versions(ids, form, run),
  })
}

/**
 * Returns the format of a response that is a bare array of records.
 * @throws EngineError `bad_input` for a format that does not support it
 */
function formOf({ headers }: Call<unknown, unknown>, given: Common) {
  const accepted = acceptedFormat(headers.get('accept'))
  const isTable = accepted === 'tsv' || accepted === 'csv'
  const format = given.format ?? (isTable ? accepted : 'json')
  if (format === 'json' || format === 'tsv' || format === 'csv') {
    return { format, input: { ...given, format } } as const
  }
  const message = `format ${format} is not served at this path; use json, tsv or csv`
  throw new EngineError('bad_input', message, { at: 'format' })
}

/** Splits texts at commas. The engine rejects values of other types. */
function separated(given: unknown): unknown {
  if (given === undefined) return []
  const values: readonly unknown[] = Array.isArray(given) ? given : [given]
  return values.flatMap((value) => (typeof value === 'string' ? splitIds(value) : [value]))
}
