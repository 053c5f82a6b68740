import { EngineError } from '../errors.ts'

/**
 * Returns a required parameter.
 * @throws EngineError `bad_input` if it is missing
 */
export function requireParameter(text: string | undefined, name: string): string {
  if (text !== undefined) return text
  throw new EngineError('bad_input', `Required parameter '${name}' is not present.`, { at: name })
}
