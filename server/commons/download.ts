import { z } from '@hono/zod-openapi'
import {
  type Commons,
  type Download,
  INDEX_ENDINGS,
  type IndexRequest,
  SupersededFile,
} from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import type { Config } from '../config.ts'
import {
  allowsRange,
  hasPrecondition,
  httpDate,
  precondition,
  type Validators,
} from '../http/conditional.ts'
import { attachment } from '../http/disposition.ts'
import { type Call, defineEndpoint, type Endpoint, type ResponseNote } from '../http/endpoint.ts'
import { contentRange, parseRange } from '../http/range.ts'
import {
  downloadOfPathParameters,
  downloadParameters,
  manifestOfPathParameters,
  manifestParameters,
  splitIds,
} from './download-parameters.ts'
import { errorAnswer, preconditionFailed, rangeBeyond } from './error-answers.ts'
import { archiveName } from './file-names.ts'
import { answer, RELEASE_HEADER, releaseHeader } from './release-answer.ts'

export interface DownloadEngine extends Pick<Commons, 'clock' | 'manifest' | 'releaseFacts'> {
  readonly downloads: Pick<Commons['downloads'], 'download' | 'index'>
}

/** Maximum number of ids by GET: the request line must pass clients and proxies (data-commons.md 11.8). */
const MAX_IDS_BY_GET = 100

type Flags = z.output<typeof downloadOfPathParameters>
type AnyCall = Call<unknown, unknown>
type Place = NonNullable<Awaited<ReturnType<Download['place']>>>

/** Endpoints for files, archives and manifests (data-commons-service.md 4.3, data-commons.md 3.7 and 5). */
export function downloadEndpoints(
  engine: DownloadEngine,
  build: string,
  { accelPrefix }: Pick<Config, 'accelPrefix'>,
): readonly Endpoint[] {
  const context = { engine, accelPrefix }
  const manifest = (call: AnyCall, ids: readonly string[], release: string | undefined) => {
    const input = { format: 'tsv', attachment: true, ids } as const
    const request = { key: '/manifest', input, fileName: undefined, release }
    return answer(call, { engine, build }, { ...request, run: (run) => engine.manifest(ids, run) })
  }
  return Object.freeze([
    defineEndpoint({
      ...bytesEndpoint,
      path: '/data/{ids}',
      summary: 'A file, or an archive of several',
      pathParameters: z.object({ ids: z.string() }),
      parameters: downloadOfPathParameters,
      async handle(call) {
        const ids = splitIds(call.path.ids)
        const flags = await call.input()
        const index = requestedIndex(ids)
        const ticket = call.headers.get('x-ticket')?.trim()
        if (index === undefined) return send(call, context, ids, { ...flags, ticket })
        return sendFound(call, context, () => {
          refuseOptions(flags)
          return engine.downloads.index({ ...index, token: call.token })
        })
      },
    }),
    defineEndpoint({
      ...bytesEndpoint,
      path: '/data',
      summary: 'A file, or an archive of several, by ids in the body',
      parameters: downloadParameters,
      async handle(call) {
        const { ids, ...flags } = await call.input()
        return send(call, context, ids, flags)
      },
    }),
    defineEndpoint({
      ...manifestEndpoint,
      path: '/manifest/{ids}',
      summary: 'The download manifest of files',
      pathParameters: z.object({ ids: z.string() }),
      parameters: manifestOfPathParameters,
      async handle(call) {
        const { release } = await call.input()
        return manifest(call, splitIds(call.path.ids), release)
      },
    }),
    defineEndpoint({
      ...manifestEndpoint,
      path: '/manifest',
      summary: 'The download manifest of files, by ids in the body',
      parameters: manifestParameters,
      async handle(call) {
        const { ids, release } = await call.input()
        return manifest(call, ids, release)
      },
    }),
  ])
}

const contents = {
  'application/octet-stream': z.unknown(),
  'application/x-tar': z.unknown(),
  'application/x-gzip': z.unknown(),
}

const notes: Readonly<Record<number, ResponseNote>> = {
  200: { description: 'The file or the archive', content: contents },
  206: { description: 'The requested range of it', content: contents },
  304: { description: 'The client holds these bytes already.' },
  403: { description: 'A token is required, is not valid, or has no right to read the file.' },
  404: {
    description:
      'An id is unknown; no bytes are stored here; or a file was superseded: `Link` names the ' +
      'latest version, with `rel="latest-version"`.',
  },
  412: { description: 'The bytes are not those that the client holds.' },
  416: { description: 'The range is after the end; `Content-Range` has the size.' },
}

const bytesEndpoint = {
  methods: ['GET', 'POST'],
  description:
    'One id returns the file itself; several ids, or an option, an archive whose members are ' +
    '`<id>/<file name>`, with a `MANIFEST.txt` in front of several files. Archives are tar.gz, or ' +
    'plain tar with `tarfile`. Ids of annotations add an `annotations.txt`. Files and plain tars ' +
    'have a length and an `ETag` and support `Range`, also by POST. GET accepts 100 ids, POST 10,000. ' +
    'A signed link, as in tickets of `/reads`, goes into `X-Ticket` instead of a token. ' +
    'An id and `.bai`, `.csi`, `.crai`, `.tbi` or `.gzi` return the index of the file, with the same right. ' +
    'Files whose bytes are not stored here are left out of an archive; `X-Files-Omitted` names ' +
    'them, and `MANIFEST.txt` with the state `not stored`.',
  tags: ['download'],
  responses: notes,
  security: [{}, { token: [] }],
  single: ['annotations', 'compress', 'related_files', 'tarfile'],
} as const

const manifestEndpoint = {
  methods: ['GET', 'POST'],
  tags: ['download'],
  compress: true,
  responses: {
    200: { description: 'A line per file', content: { 'text/tab-separated-values': z.string() } },
    304: { description: 'The client already has this response (`ETag`).' },
    404: { description: 'An id is unknown.' },
  },
} as const

interface SendContext extends Pick<Config, 'accelPrefix'> {
  readonly engine: DownloadEngine
}

async function send(
  call: AnyCall,
  { engine, accelPrefix }: SendContext,
  ids: readonly string[],
  { related_files: relatedFiles, ...flags }: Flags & { readonly ticket?: string | undefined },
): Promise<Response> {
  if (call.isRead && ids.length > MAX_IDS_BY_GET) {
    const message = `${ids.length} ids are given; send more than ${MAX_IDS_BY_GET} ids by POST /data`
    throw new EngineError('bad_input', message, { at: 'ids' })
  }
  const request = { ids, token: call.token, relatedFiles, ...flags }
  return sendFound(call, { engine, accelPrefix }, () => engine.downloads.download(request))
}

/** Parses a single id that ends with the extension of an index. Returns undefined for all other ids. */
function requestedIndex(ids: readonly string[]): Pick<IndexRequest, 'id' | 'ending'> | undefined {
  const [only = '', ...others] = ids
  const [, id, ending] = /^(.+)\.([a-z]+)$/i.exec(only.trim()) ?? []
  const known = INDEX_ENDINGS.find((one) => one === ending?.toLowerCase())
  return known && id && others.length === 0 ? { id, ending: known } : undefined
}

/** Rejects flags for an index, which is never put into an archive. */
function refuseOptions(flags: Readonly<Record<string, boolean>>): void {
  const given = Object.keys(flags).find((name) => flags[name])
  if (given === undefined) return
  const message = `${given} is for files by their ids; request the index without it`
  throw new EngineError('bad_input', message, { at: given })
}

async function sendFound(
  call: AnyCall,
  { engine, accelPrefix }: SendContext,
  find: () => Promise<Download>,
): Promise<Response> {
  const found = await find().catch((error: unknown) => {
    if (error instanceof SupersededFile) return error
    throw error
  })
  if (found instanceof SupersededFile) {
    const Link = `<${call.prefix}/data/${found.latestId}>; rel="latest-version"`
    return errorAnswer('not_found', found.message, { Link })
  }
  const validators = validatorsOf(found)
  const isKept = found.isOpen && !call.headers.has('x-ticket')
  const headers = headersOf(found, { now: engine.clock(), isKept })
  switch (precondition(call.method, call.headers, validators)) {
    case 'failed':
      return preconditionFailed()
    case 'unchanged':
      return new Response(null, { status: 304, headers: keptHeaders(headers) })
    case 'proceed':
      return sendBytes(call, found, { validators, headers, accelPrefix })
  }
}

interface Sending extends Pick<Config, 'accelPrefix'> {
  readonly validators: Validators
  readonly headers: HeaderTexts
}

async function sendBytes(
  { method, headers: given, signal, stream }: AnyCall,
  found: Download,
  { validators, headers, accelPrefix }: Sending,
): Promise<Response> {
  const { size } = found
  // RFC 9110 section 14.2 defines ranges for GET only and leaves them open for other methods. They are supported
  // for POST too, because archives of many files can only be requested by POST and need resuming most.
  const takesRange = method !== 'HEAD' && size !== undefined && allowsRange(given, validators)
  const range = takesRange ? parseRange(given.get('range'), size) : undefined
  if (range === 'unsatisfiable') return rangeBeyond(size ?? 0)
  // nginx handles a valid range in the same way. It does not ignore the ranges that must be ignored, and it
  // evaluates preconditions against metadata of its own, so these requests are answered here.
  const isPlain = method !== 'HEAD' && (range || !given.has('range')) && !hasPrecondition(given)
  const place = accelPrefix !== null && isPlain ? await found.place() : undefined
  if (accelPrefix !== null && place) {
    const { 'Accept-Ranges': _, ...rest } = headers
    const path = { 'X-Accel-Redirect': internalPath(accelPrefix, place) }
    return new Response(null, { status: 200, headers: { ...rest, ...path } })
  }
  const part = range && size !== undefined ? { 'Content-Range': contentRange(range, size) } : {}
  const bytes = await found.open(range, { signal })
  return stream(bytes, { status: range ? 206 : 200, headers: { ...headers, ...part } })
}

/**
 * Returns the internal path of a file.
 * @example internalPath('/internal/', { id: '0d00…', name: 'a b%.bam' }) // '/internal/0d00…/a%20b%25.bam'
 */
const internalPath = (prefix: string, { id, name }: Place) =>
  `${prefix}${encodeURIComponent(id)}/${encodeURIComponent(name.toWellFormed())}`

type HeaderTexts = Readonly<Record<string, string>>

function validatorsOf({ kind, fingerprint, md5, modified }: Download): Validators {
  if (fingerprint === undefined) return {}
  // A stored file has a fixed md5. An archive may change with a release of the same day, and an index beside
  // a file may be rebuilt.
  const isKept = kind === 'file' && md5 !== undefined
  return { etag: `"${fingerprint}"`, modified: isKept ? modified : undefined }
}

const CONTENT_TYPES: Readonly<Record<Download['kind'], string>> = {
  file: 'application/octet-stream',
  tar: 'application/x-tar',
  'tar.gz': 'application/x-gzip',
}

/**
 * Builds the headers of a download (data-commons.md 5.2). Never with Content-Encoding, because clients count
 * bytes.
 * @param isKept whether caches may store it: an open file that was requested without a ticket
 */
function headersOf(
  found: Download,
  { now, isKept }: { readonly now: Date; readonly isKept: boolean },
): HeaderTexts {
  const { kind, fileName, md5, fingerprint, modified, omitted, releaseId } = found
  const name = kind === 'file' ? (fileName ?? 'download') : archiveName(now, kind)
  return {
    'Content-Type': CONTENT_TYPES[kind],
    'Content-Disposition': attachment(name),
    // The response is not cached. nginx, which may send the bytes, does not forward `Vary`, and a browser could
    // combine ranges that it fetched with different tokens.
    'Cache-Control': isKept ? 'no-transform' : 'private, no-store, no-transform',
    ...(md5 === undefined ? {} : { 'Content-MD5': md5 }),
    ...releaseHeader(releaseId),
    ...(omitted.length === 0 ? {} : { 'X-Files-Omitted': namesOfOmitted(omitted) }),
    ...(fingerprint === undefined
      ? {}
      : {
          'Accept-Ranges': 'bytes',
          ETag: `"${fingerprint}"`,
          'Last-Modified': httpDate(modified),
        }),
  }
}

/** Maximum number of ids in a header, about 2 KiB. `MANIFEST.txt` lists all. */
const MAX_NAMED = 50

/**
 * Formats ids for a header.
 * @example namesOfOmitted(['0d00…', '0d01…']) // '0d00…, 0d01…'
 */
function namesOfOmitted(ids: readonly string[]): string {
  const more = ids.length - MAX_NAMED
  const named = ids.slice(0, MAX_NAMED).map((id) => id.replace(/[^\w.:-]/g, '_'))
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

function keptHeaders(headers: HeaderTexts): Record<string, string> {
  const cached = ['ETag', 'Cache-Control', 'Last-Modified', RELEASE_HEADER]
  return Object.fromEntries(Object.entries(headers).filter(([name]) => cached.includes(name)))
}
