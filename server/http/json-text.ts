import { EngineError } from '../../engine/shared/index.ts'
import { checkJsonBounds, jsonErrorText } from '../../engine/shared/internal.ts'

/**
 * Parses JSON text within bounds of nesting and number.
 * @param source bytes that are UTF-8, or a text
 * @param at what the text is, for messages: `body`, `filters`
 * @param maxValues a bound below that of all texts
 * @throws EngineError `bad_input` for what is no JSON, naming line and column; `too_many` beyond a bound
 */
export function parseJsonText(
  source: Uint8Array | string,
  at: string,
  maxValues?: number,
): unknown {
  const isText = typeof source === 'string'
  checkJsonBounds(isText ? Buffer.from(source) : source, nameOf(at), at, maxValues)
  const text = isText ? source : decodeText(source, at)
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's own message quotes the text, which may hold health data: it stays in the cause.
    throw new EngineError('bad_input', `${nameOf(at)} is ${jsonErrorText(text, cause)}`, {
      at,
      cause,
    })
  }
}

/** @throws EngineError `bad_input` for bytes that are no UTF-8 */
export function decodeText(bytes: Uint8Array, at: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new EngineError('bad_input', `${nameOf(at)} is not valid UTF-8`, { at, cause })
  }
}

const nameOf = (at: string) => (at === 'body' ? 'the body' : `the text of ${at}`)
