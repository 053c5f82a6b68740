import type { BodyFormat, Commons, SearchAnswer, SearchRun } from '../../engine/commons/index.ts'
import { attachment } from '../http/disposition.ts'
import type { Call } from '../http/endpoint.ts'
import { etagOf } from '../http/etag.ts'
import { canonicalJson } from './canonical-json.ts'
import { manifestName } from './file-names.ts'

export interface Serving {
  readonly engine: Pick<Commons, 'clock' | 'releaseFacts'>
  /** Names the running version: the same request may be answered otherwise by the next. */
  readonly build: string
}

/** An answer that follows from the release and the request alone. */
export interface Asked {
  /** With the input, what tells this request from all others. */
  readonly key: string
  readonly input: {
    readonly format: BodyFormat
    readonly attachment: boolean
    readonly filename?: string | undefined
  }
  /** Name for the client's disk; a download manifest has one that tells the time. */
  readonly fileName: string | undefined
  readonly run: (run: SearchRun) => Promise<SearchAnswer>
}

/** Sends what the engine tells of its release; a client that holds it already is told so. */
export async function answer(
  call: Call<unknown, unknown>,
  { engine, build }: Serving,
  { key, input, fileName, run }: Asked,
): Promise<Response> {
  const { signal, warnings } = call
  const canonical = call.isRead ? canonicalOf(input, warnings.texts) : ''
  const etag = (release: string) => etagOf([build, release, key, canonical])
  const headers = { 'Cache-Control': 'no-cache', Vary: 'Accept, Accept-Encoding' }
  const release = engine.releaseFacts()?.id
  const unchanged = release === undefined ? undefined : call.unchanged(etag(release), headers)
  if (unchanged !== undefined) return unchanged
  const found = await run({ signal, warnings })
  const name = input.filename ?? fileName ?? manifestName(engine.clock())
  const isFile = input.attachment || fileName === undefined
  return call.stream(found, {
    status: 200,
    headers: {
      ...headers,
      'Content-Type': found.contentType,
      // Not of the release asked above: another may have come since.
      ...(call.isRead ? { ETag: etag(found.releaseId) } : {}),
      ...(isFile ? { 'Content-Disposition': attachment(name) } : {}),
    },
  })
}

/** Unknown parameters change an answer by its warnings alone. */
function canonicalOf(input: Asked['input'], warnings: Readonly<Record<string, string>>): string {
  const canonical = canonicalJson(input)
  return Object.keys(warnings).length === 0 ? canonical : canonical + canonicalJson(warnings)
}
