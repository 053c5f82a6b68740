import { isUtf8 } from 'node:buffer'
import { EngineError, LoopTurns } from '../../engine/shared/index.ts'
import { requirePlain } from '../http/body.ts'
import { parseJsonInTurns } from '../http/json-text.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const TEXT_TYPE = /^text\/plain\s*(?:;|$)/i
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i

/**
 * Parses a JSON body. A large body takes several turns of the event loop. A body without a content type counts
 * as JSON, the only accepted format.
 * @throws EngineError `unsupported_type`, `too_large`, `bad_input`, `too_many`
 */
export async function readJson(
  headers: Headers,
  body: () => Promise<Uint8Array>,
  turns = new LoopTurns(),
): Promise<unknown> {
  requireType(headers, JSON_TYPE, 'application/json')
  return parseJsonInTurns(await body(), turns)
}

/**
 * Reads a text body.
 * @throws EngineError `unsupported_type`, `too_large`, `bad_input`
 */
export async function readText(headers: Headers, body: () => Promise<Uint8Array>): Promise<string> {
  requireType(headers, TEXT_TYPE, 'text/plain')
  const bytes = await body()
  if (!isUtf8(bytes)) throw new EngineError('bad_input', 'the body is not UTF-8')
  return new TextDecoder().decode(bytes)
}

/**
 * Checks the content type of a body. A missing type is accepted.
 * @throws EngineError `unsupported_type`, also if the body is compressed
 */
export function requireType(headers: Headers, accepted: RegExp, wanted: string): void {
  requireMediaType(headers, accepted, wanted)
  requirePlain(headers)
}

/**
 * Checks the content type of a body like requireType, but accepts compression.
 * @throws EngineError `unsupported_type` for a type that is not accepted
 */
export function requireMediaType(headers: Headers, accepted: RegExp, wanted: string): void {
  const type = headers.get('content-type')?.trim() ?? ''
  if (type !== '' && (!accepted.test(type) || OTHER_CHARSET.test(type))) {
    throw new EngineError(
      'unsupported_type',
      `the content type of the body is not accepted; send ${wanted} in UTF-8`,
    )
  }
}
