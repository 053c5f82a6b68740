import { EngineError } from '../errors.ts'

/** @throws EngineError bad_input for a parameter that was left out */
export function requireParameter(text: string | undefined, name: string): string {
  if (text !== undefined) return text
  throw new EngineError('bad_input', `Required parameter '${name}' is not present.`, { at: name })
}
