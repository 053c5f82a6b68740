import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import type {
  FileAction,
  FileRequest,
  FileUploadRequest,
  Submissions,
} from '../../engine/submission/index.ts'
import { MANIFEST_LIMITS } from '../../engine/submission/internal.ts'
import { names } from '../commons/parameter-forms.ts'
import { attachment } from '../http/disposition.ts'
import { type Call, defineEndpoint, type Endpoint, type ResponseNote } from '../http/endpoint.ts'
import { json, reply } from '../http/reply.ts'
import {
  type CallerEngine,
  callerOf,
  PROJECT_PATH,
  projectNames,
  projectRequestOf,
  RESERVED,
  SUBMISSION_TAGS,
  TOKEN_NEEDED,
} from './call.ts'
import { completedXml, initiatedXml, listedXml, quotedTag } from './multipart-xml.ts'

export interface SubmissionFilesEngine extends CallerEngine {
  readonly files: Pick<
    Submissions['files'],
    | 'abort'
    | 'admitManifest'
    | 'complete'
    | 'dryRun'
    | 'initiate'
    | 'validateManifest'
    | 'manifest'
    | 'parts'
    | 'putPart'
    | 'readPartList'
    | 'remove'
    | 'upload'
  >
}

const XML = 'application/xml'
const YAML = 'text/yaml'
const NO_STORE = Object.freeze({ 'Cache-Control': 'no-store' })

const DRY_RUN =
  'Transaction would have been successful. User selected dry run option; transaction aborted, ' +
  'no data written to object storage.'

const fileNames = projectNames.extend({ id: z.string() })
const requests = z.object({
  uploads: z.string().optional().openapi({ description: 'Starts an upload in parts (POST).' }),
  uploadId: z.string().optional().openapi({ description: 'Id of an upload in parts.' }),
  partNumber: z
    .string()
    .optional()
    .openapi({ description: 'Number of a part, from 1 to 10,000 (PUT).' }),
})

type FileCall = Call<z.output<typeof fileNames>, z.output<typeof requests>>

const responses: Readonly<Record<number, ResponseNote>> = {
  200: {
    description: 'The requested action is done',
    content: { 'application/json': z.unknown(), [XML]: z.string() },
  },
  204: { description: 'The upload, or the data, are gone.' },
  400: {
    description: 'The state of the file or of its project, or the request, does not allow it.',
  },
  403: { description: 'A token is required, is not valid, or has no right to read the file.' },
  404: { description: 'There is no such project, file or upload.' },
  405: {
    description: 'The request is for a file without an upload; bytes are served at `/data/{id}`.',
  },
  409: { description: 'Another body of the file arrives already.' },
}

const shared = {
  methods: ['GET', 'PUT', 'POST', 'DELETE'],
  tags: SUBMISSION_TAGS,
  pathParameters: fileNames,
  parameters: requests,
  takesQueryOnly: true,
  reserved: RESERVED,
  security: TOKEN_NEEDED,
  responses,
} as const

/** Endpoints for the bytes of submitted files, sent whole or in parts, and for their manifests (submission.md 14). */
export function submissionFileEndpoints(engine: SubmissionFilesEngine): readonly Endpoint[] {
  const { files } = engine
  const path = `${PROJECT_PATH}/files/{id}`
  return Object.freeze([
    defineEndpoint({
      ...shared,
      path,
      summary: 'The data of a submitted file',
      description:
        'PUT or POST takes the data in one body. In parts: POST with `?uploads` starts an ' +
        'upload, PUT with `?uploadId=…&partNumber=…` sends a part, GET with `?uploadId=…` lists ' +
        'the parts that have arrived, POST with `?uploadId=…` and a list of parts completes it, ' +
        'and DELETE with `?uploadId=…` cancels it. DELETE without it removes the data. Size and ' +
        'MD5 are checked afterwards; `file_state` is then `validated` or `error`.',
      content: { 'application/octet-stream': z.unknown(), [XML]: z.string() },
      handle: (call) => answer(call, engine, requestedAction(call)),
    }),
    defineEndpoint({
      ...shared,
      path: `${path}/_dry_run`,
      summary: 'Dry run: whether the data of a submitted file would be accepted, listed or removed',
      description: 'As without `/_dry_run`, but nothing is done, and a body is not looked at.',
      async handle(call) {
        const { action, uploadId } = requestedAction(call)
        await files.dryRun({ ...(await requestOf(call, engine, '/_dry_run')), uploadId }, action)
        return json(200, { message: DRY_RUN }, NO_STORE)
      },
    }),
    ...['manifest', 'upload_manifest'].map((name) => manifestEndpoint(engine, name)),
    defineEndpoint({
      methods: ['POST'],
      path: '/submission/validation/upload_manifest',
      summary: 'Whether a manifest is one that the transfer client uploads by',
      description:
        'YAML or JSON of at most 1 MiB and 50,000 lines. Any valid token is sufficient, and nothing is looked up.',
      tags: SUBMISSION_TAGS,
      security: TOKEN_NEEDED,
      content: { [YAML]: z.string() },
      takesQueryOnly: true,
      responses: {
        200: {
          description: 'The result, with all errors',
          content: {
            'application/json': z.object({
              valid: z.boolean(),
              errors: z.array(z.string()).optional(),
            }),
          },
        },
        400: { description: 'The manifest has too many lines.' },
        403: { description: 'A token is required, or is not valid.' },
        413: {
          description: 'The manifest is too large, or takes too much memory or time to read.',
        },
      },
      async handle(call) {
        files.admitManifest(await callerOf(call, engine))
        const { body, signal } = call
        const bytes = await body(MANIFEST_LIMITS.bytes)
        return json(200, await files.validateManifest(bytes, { signal }), NO_STORE)
      },
    }),
  ])
}

function manifestEndpoint(engine: SubmissionFilesEngine, name: string): Endpoint {
  return defineEndpoint({
    methods: ['GET'],
    path: `${PROJECT_PATH}/${name}`,
    summary: 'The manifest with which the transfer client uploads files',
    tags: SUBMISSION_TAGS,
    pathParameters: projectNames,
    parameters: z.object({
      ids: names('ids', { description: 'Ids of file entities, with commas between them' }),
    }),
    reserved: RESERVED,
    security: TOKEN_NEEDED,
    responses: {
      200: { description: 'The manifest', content: { [YAML]: z.string() } },
      400: { description: 'No ids are given, or one is of no file.' },
      404: { description: 'There is no such project or file.' },
    },
    async handle(call) {
      const request = await projectRequestOf(call, engine, `/${name}`)
      const { ids } = call.query()
      const manifest = await engine.files.manifest({ ...request, ids })
      call.granted({ principal: undefined, entities: () => ids.map((id) => id.toLowerCase()) })
      const headers = { 'Content-Disposition': attachment('submission_manifest.yaml') }
      return reply(200, YAML, manifest, { ...headers, ...NO_STORE })
    },
  })
}

interface RequestedAction {
  readonly action: FileAction
  readonly uploadId: string | undefined
  readonly partNumber: number
}

/**
 * Returns the requested action.
 * @throws EngineError `method_not_allowed`, `bad_input`
 */
function requestedAction(call: FileCall): RequestedAction {
  const { uploads, uploadId, partNumber } = call.query()
  const of = (action: FileAction, number = 0): RequestedAction => ({
    action,
    uploadId,
    partNumber: number,
  })
  const isOfUpload = uploadId !== undefined
  switch (call.method) {
    case 'POST':
      if (isOfUpload) return of('complete_multipart')
      return of(uploads === undefined ? 'upload' : 'initiate_multipart')
    case 'PUT':
      if (!isOfUpload && partNumber === undefined) return of('upload')
      if (isOfUpload && /^\d{1,9}$/.test(partNumber ?? '')) {
        return of('upload_part', Number(partNumber))
      }
      throw new EngineError('bad_input', 'a part needs an uploadId and a partNumber')
    case 'DELETE':
      return of(isOfUpload ? 'abort_multipart' : 'delete')
    default:
      if (isOfUpload) return of('list_parts')
      throw new EngineError('method_not_allowed', `Method ${call.method} not allowed on file`)
  }
}

async function requestOf(call: FileCall, engine: CallerEngine, tail = ''): Promise<FileRequest> {
  const { id } = call.path
  call.granted({ principal: undefined, entities: () => [id.toLowerCase()] })
  return { ...(await projectRequestOf(call, engine, `/files/${id}${tail}`)), id }
}

async function answer(
  call: FileCall,
  engine: SubmissionFilesEngine,
  { action, uploadId = '', partNumber }: RequestedAction,
): Promise<Response> {
  const { files } = engine
  const request: FileUploadRequest = { ...(await requestOf(call, engine)), uploadId }
  const { program, project, id } = request
  const named = { project: `${program}-${project}`, id, uploadId }
  switch (action) {
    case 'upload':
      await files.upload(request, bodyOf(call))
      return json(200, { message: 'Upload successful.' }, NO_STORE)
    case 'initiate_multipart':
      return xml(initiatedXml({ ...named, uploadId: await files.initiate(request) }))
    case 'upload_part': {
      const md5 = await files.putPart({ ...request, partNumber }, bodyOf(call))
      return new Response(null, { status: 200, headers: { ETag: quotedTag(md5), ...NO_STORE } })
    }
    case 'list_parts':
      return xml(await listedXml(named, await files.parts(request)))
    case 'complete_multipart': {
      // Access is checked before the body is read.
      await files.dryRun(request, action)
      const listed = await files.readPartList(await call.body(), call)
      return xml(completedXml(named, await files.complete({ ...request, listed })))
    }
    case 'abort_multipart':
      await files.abort(request)
      return new Response(null, { status: 204 })
    case 'delete':
      await files.remove(request)
      return new Response(null, { status: 204 })
  }
}

function bodyOf({ chunks, headers }: FileCall) {
  const announced = headers.get('content-length')
  return { chunks: chunks(), announced: announced === null ? undefined : Number(announced) }
}

function xml(text: string): Response {
  return reply(200, XML, text, NO_STORE)
}
