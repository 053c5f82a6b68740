import { isUtf8 } from 'node:buffer'
import { EngineError } from '../../engine/shared/index.ts'
import { requirePlain } from '../http/body.ts'
import { parseJsonText } from '../http/json-text.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const TEXT_TYPE = /^text\/plain\s*(?:;|$)/i
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i

/**
 * The JSON value of a body. A body without a type is taken for JSON: nothing else is spoken here.
 * @throws EngineError `unsupported_type`, `too_large`, `bad_input`, `too_many`
 */
export async function readJson(
  headers: Headers,
  body: () => Promise<Uint8Array>,
): Promise<unknown> {
  requireType(headers, JSON_TYPE, 'application/json')
  return parseJsonText(await body(), 'body')
}

/**
 * The text of a body.
 * @throws EngineError `unsupported_type`, `too_large`, `bad_input`
 */
export async function readText(headers: Headers, body: () => Promise<Uint8Array>): Promise<string> {
  requireType(headers, TEXT_TYPE, 'text/plain')
  const bytes = await body()
  if (!isUtf8(bytes)) throw new EngineError('bad_input', 'the body is not UTF-8')
  return new TextDecoder().decode(bytes)
}

/**
 * Looks at what a body is said to be; one that says nothing is taken for what is wanted.
 * @throws EngineError `unsupported_type`, also for a compressed one
 */
export function requireType(headers: Headers, accepted: RegExp, wanted: string): void {
  requireMediaType(headers, accepted, wanted)
  requirePlain(headers)
}

/**
 * As requireType, whether it is compressed or not.
 * @throws EngineError `unsupported_type`
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
