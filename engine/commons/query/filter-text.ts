import { EngineError } from '../../shared/errors.ts'
import { MAX_PARAMETER_VALUES } from '../../shared/input/json-bounds.ts'
import { JsonPieceError, parseJsonPieces } from '../../shared/input/json-pieces.ts'
import type { ReadingSteps } from './filter-tree.ts'

/**
 * Parses the JSON text of a filter in steps, because it can have several megabytes. Returns undefined for a
 * blank text.
 * @param at name of the filter for messages
 * @throws EngineError `bad_input` with line and column; `too_many` over a limit of JSON
 */
export function* parseFilterText(text: string, at: string): ReadingSteps<unknown> {
  if (text.trim() === '') return undefined
  const bytes = Buffer.from(text)
  const limits = { source: `the text of ${at}`, at, maxValues: MAX_PARAMETER_VALUES }
  const steps = parseJsonPieces(bytes, limits)
  try {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      yield
    }
  } catch (cause) {
    if (!(cause instanceof JsonPieceError)) throw cause
    const message = `${at} is ${cause.textIn(bytes)}; give an object with op and content, or its JSON text`
    throw new EngineError('bad_input', message, { at, cause })
  }
}
