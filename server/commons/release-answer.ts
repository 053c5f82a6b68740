import type { BodyFormat, Commons, SearchAnswer, SearchRun } from '../../engine/commons/index.ts'
import { allowsRange, precondition } from '../http/conditional.ts'
import { attachment } from '../http/disposition.ts'
import type { Call } from '../http/endpoint.ts'
import { etagOf } from '../http/etag.ts'
import { contentRange, parseRange } from '../http/range.ts'
import { canonicalJson } from './canonical-json.ts'
import { preconditionFailed, rangeBeyond } from './error-answers.ts'
import { manifestName } from './file-names.ts'

/** Header with the id of the release that a response is based on. */
export const RELEASE_HEADER = 'X-Casemill-Release'

/** Returns the header that names the release on which content and access are based, if there is a release. */
export function releaseHeader(id: string | undefined): HeaderTexts {
  return id === undefined ? {} : { [RELEASE_HEADER]: id }
}

export interface Serving {
  readonly engine: Pick<Commons, 'clock' | 'releaseFacts'>
  /** Running version. Part of validators, because the next version may answer differently. */
  readonly build: string
}

/** A response that depends only on the release and the request. */
export interface ReleaseRequest {
  /** Identifies the request together with the input. */
  readonly key: string
  readonly input: {
    readonly format: BodyFormat
    readonly attachment: boolean
    readonly filename?: string | undefined
  }
  /** Suggested file name. A manifest gets a default name with the time. */
  readonly fileName: string | undefined
  /** Id of the requested release. Undefined for the current one. */
  readonly release?: string | undefined
  readonly run: (run: SearchRun) => Promise<SearchAnswer>
}

/** Sends a response that is based on a release, or status 304 if the client already has it. */
export async function answer(
  call: Call<unknown, unknown>,
  { engine, build }: Serving,
  { key, input, fileName, release: named, run }: ReleaseRequest,
): Promise<Response> {
  const { signal, warnings } = call
  const canonical = call.isRead ? canonicalOf(input, warnings.texts) : ''
  const etag = (release: string) => etagOf([build, release, key, canonical])
  const headers = { 'Cache-Control': 'no-cache', Vary: 'Accept, Accept-Encoding' }
  const current = engine.releaseFacts()?.id
  // Access to a release other than the current one is not checked yet, so no 304 is sent at this point.
  const release = named === undefined || named === current ? current : undefined
  const held = release === undefined ? undefined : etag(release)
  const unchanged =
    held === undefined || release === undefined
      ? undefined
      : call.unchanged(held, { ...headers, [RELEASE_HEADER]: release })
  if (unchanged !== undefined) return unchanged
  const isSized = call.method === 'HEAD' || mayGetRange(call.headers, held)
  const found = await run({ signal, warnings, release: named, isSized })
  const name = input.filename ?? fileName ?? manifestName(engine.clock())
  const isFile = input.attachment || fileName === undefined
  // The release may have changed since the first look.
  const valid = held !== undefined && found.releaseId === release ? held : etag(found.releaseId)
  const validator = call.isRead ? valid : undefined
  const head = {
    ...headers,
    'Content-Type': found.contentType,
    [RELEASE_HEADER]: found.releaseId,
    ...(validator === undefined ? {} : { ETag: validator }),
    ...(isFile ? { 'Content-Disposition': attachment(name) } : {}),
  }
  const { part } = found
  if (part === undefined) return call.stream(found, { status: 200, headers: head })
  return sendFile(call, { ...found, part }, { etag: validator, headers: head })
}

/** Returns whether a request may be answered with a range, for which the length is needed. */
function mayGetRange(headers: Headers, etag: string | undefined): boolean {
  const asked = headers.get('range')
  if (asked === null || parseRange(asked, Number.MAX_SAFE_INTEGER) === undefined) return false
  // Without a tag, the release is named and not opened yet.
  return etag === undefined || allowsRange(headers, { etag })
}

interface FileAnswer extends SearchAnswer {
  readonly part: NonNullable<SearchAnswer['part']>
}

/** Sends a response that is a file, with ranges and preconditions like stored files (data-commons.md 5.2). */
async function sendFile(
  call: Call<unknown, unknown>,
  found: FileAnswer,
  { etag, headers }: { readonly etag: string | undefined; readonly headers: HeaderTexts },
): Promise<Response> {
  const { part, length } = found
  const head = { ...headers, 'Accept-Ranges': 'bytes' }
  if (precondition(call.method, call.headers, { etag }) === 'failed') {
    await found[Symbol.asyncDispose]()
    return preconditionFailed()
  }
  const takesRange = call.method !== 'HEAD' && allowsRange(call.headers, { etag })
  const asked = takesRange ? call.headers.get('range') : undefined
  if (length === undefined || !asked) {
    return call.stream(found, { status: 200, headers: head })
  }
  const range = parseRange(asked, length)
  if (range === undefined) return call.stream(found, { status: 200, headers: head })
  if (range === 'unsatisfiable') {
    await found[Symbol.asyncDispose]()
    return rangeBeyond(length)
  }
  const bytes = part(range)
  const both = {
    ...bytes,
    async [Symbol.asyncDispose]() {
      await bytes[Symbol.asyncDispose]()
      await found[Symbol.asyncDispose]()
    },
  }
  const partHead = { ...head, 'Content-Range': contentRange(range, length) }
  return call.stream(both, { status: 206, headers: partHead })
}

type HeaderTexts = Readonly<Record<string, string>>

/** Unknown parameters affect a response only through its warnings. */
function canonicalOf(
  input: ReleaseRequest['input'],
  warnings: Readonly<Record<string, string>>,
): string {
  const canonical = canonicalJson(input)
  return Object.keys(warnings).length === 0 ? canonical : canonical + canonicalJson(warnings)
}
