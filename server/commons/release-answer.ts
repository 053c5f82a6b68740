import type { BodyFormat, Commons, SearchAnswer, SearchRun } from '../../engine/commons/index.ts'
import { allowsRange, precondition } from '../http/conditional.ts'
import { attachment } from '../http/disposition.ts'
import type { Call } from '../http/endpoint.ts'
import { etagOf } from '../http/etag.ts'
import { contentRange, parseRange } from '../http/range.ts'
import { canonicalJson } from './canonical-json.ts'
import { preconditionFailed, rangeBeyond } from './error-answers.ts'
import { manifestName } from './file-names.ts'

/** Names the release that an answer is of. */
export const RELEASE_HEADER = 'X-Casemill-Release'

/** The release that said what is there and who may have it, where there is one. */
export function releaseHeader(id: string | undefined): HeaderTexts {
  return id === undefined ? {} : { [RELEASE_HEADER]: id }
}

export interface Serving {
  readonly engine: Pick<Commons, 'clock' | 'releaseFacts'>
  /** Names the running version: the same request may be answered otherwise by the next. */
  readonly build: string
}

/** An answer that follows from the release and the request alone. */
export interface Asked {
  /** With the input, what distinguishes this request from all others. */
  readonly key: string
  readonly input: {
    readonly format: BodyFormat
    readonly attachment: boolean
    readonly filename?: string | undefined
  }
  /** Name for the client's disk; a download manifest has one with the time. */
  readonly fileName: string | undefined
  /** The release that was named, in place of the current one. */
  readonly release?: string | undefined
  readonly run: (run: SearchRun) => Promise<SearchAnswer>
}

/** Sends what the engine answers from its release; a client that holds it already gets 304. */
export async function answer(
  call: Call<unknown, unknown>,
  { engine, build }: Serving,
  { key, input, fileName, release: named, run }: Asked,
): Promise<Response> {
  const { signal, warnings } = call
  const canonical = call.isRead ? canonicalOf(input, warnings.texts) : ''
  const etag = (release: string) => etagOf([build, release, key, canonical])
  const headers = { 'Cache-Control': 'no-cache', Vary: 'Accept, Accept-Encoding' }
  const current = engine.releaseFacts()?.id
  // Of another one it is not known yet whether it may be shown.
  const release = named === undefined || named === current ? current : undefined
  const held = release === undefined ? undefined : etag(release)
  const unchanged =
    held === undefined || release === undefined
      ? undefined
      : call.unchanged(held, { ...headers, [RELEASE_HEADER]: release })
  if (unchanged !== undefined) return unchanged
  const found = await run({ signal, warnings, release: named })
  const name = input.filename ?? fileName ?? manifestName(engine.clock())
  const isFile = input.attachment || fileName === undefined
  // Not of the release asked above if another has come since.
  const valid = held !== undefined && found.releaseId === release ? held : etag(found.releaseId)
  const validator = call.isRead ? valid : undefined
  const head = {
    ...headers,
    'Content-Type': found.contentType,
    [RELEASE_HEADER]: found.releaseId,
    ...(validator === undefined ? {} : { ETag: validator }),
    ...(isFile ? { 'Content-Disposition': attachment(name) } : {}),
  }
  const { part, length } = found
  if (part === undefined || length === undefined) {
    return call.stream(found, { status: 200, headers: head })
  }
  return sendFile(call, { ...found, part, length }, { etag: validator, headers: head })
}

interface FileAnswer extends SearchAnswer {
  readonly part: NonNullable<SearchAnswer['part']>
  readonly length: number
}

/** An answer that is a file takes a range and preconditions, as files do (data-commons.md 5.2). */
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
  const range = takesRange ? parseRange(call.headers.get('range'), length) : undefined
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

/** Unknown parameters change an answer by its warnings alone. */
function canonicalOf(input: Asked['input'], warnings: Readonly<Record<string, string>>): string {
  const canonical = canonicalJson(input)
  return Object.keys(warnings).length === 0 ? canonical : canonical + canonicalJson(warnings)
}
