import { checkJsonBounds, EngineError } from '../../engine/shared/index.ts'

/**
 * Parses JSON text within bounds of nesting and number.
 * @param at what the text is, for messages: `body`, `filters`
 * @param maxValues a bound below that of all texts
 * @throws EngineError `bad_input` for what is no JSON, `too_many` beyond a bound
 */
export function parseJsonText(bytes: Uint8Array, at: string, maxValues?: number): unknown {
  checkJsonBounds(bytes, told(at), at, maxValues)
  try {
    return JSON.parse(decodeText(bytes, at))
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    // The parser's own message quotes the text, which may hold health data: it stays in the cause.
    throw new EngineError('bad_input', `${told(at)} is not valid JSON`, { at, cause })
  }
}

/** @throws EngineError `bad_input` for bytes that are no UTF-8 */
export function decodeText(bytes: Uint8Array, at: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new EngineError('bad_input', `${told(at)} is not valid UTF-8`, { at, cause })
  }
}

const told = (at: string) => (at === 'body' ? 'the body' : `the text of ${at}`)
