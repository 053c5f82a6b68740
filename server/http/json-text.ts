import { EngineError, type LoopTurns } from '../../engine/shared/index.ts'
import {
  checkJsonBounds,
  JsonPieceError,
  jsonErrorText,
  parseJsonPieces,
} from '../../engine/shared/internal.ts'

/** Size from which parsing takes a millisecond or more. */
export const LARGE_BODY_BYTES = 64 << 10

/**
 * Parses JSON text within limits on nesting and size.
 * @param source UTF-8 bytes or a text
 * @param at name of the text for messages: `body`, `filters`
 * @param maxValues limit lower than the general one
 * @throws EngineError `bad_input` for invalid JSON, with line and column; `too_many` over a limit
 */
export function parseJsonText(
  source: Uint8Array | string,
  at: string,
  maxValues?: number,
): unknown {
  const isText = typeof source === 'string'
  checkJsonBounds(isText ? Buffer.from(source) : source, { source: nameOf(at), at, maxValues })
  const text = isText ? source : decodeText(source, at)
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's message quotes the text, which may contain health data. It is kept only as the cause.
    throw new EngineError('bad_input', `${nameOf(at)} is ${jsonErrorText(text, cause)}`, {
      at,
      cause,
    })
  }
}

/**
 * Parses JSON like parseJsonText, but takes several turns of the event loop for a large text.
 * @throws EngineError like parseJsonText
 */
export async function parseJsonInTurns(
  bytes: Uint8Array,
  turns: LoopTurns,
  { at = 'body', maxValues }: { readonly at?: string; readonly maxValues?: number } = {},
): Promise<unknown> {
  if (bytes.length <= LARGE_BODY_BYTES) return parseJsonText(bytes, at, maxValues)
  const limits = { source: nameOf(at), at, maxValues }
  try {
    return await turns.run(parseJsonPieces(bytes, limits))
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    // Bytes that are not UTF-8 get that error, wherever the parser stopped.
    decodeText(bytes, at)
    if (!(cause instanceof JsonPieceError)) throw cause
    throw new EngineError('bad_input', `${nameOf(at)} is ${cause.textIn(bytes)}`, { at, cause })
  }
}

/**
 * Decodes UTF-8.
 * @throws EngineError `bad_input` if the bytes are invalid
 */
export function decodeText(bytes: Uint8Array, at: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new EngineError('bad_input', `${nameOf(at)} is not valid UTF-8`, { at, cause })
  }
}

const nameOf = (at: string) => (at === 'body' ? 'the body' : `the text of ${at}`)
