import { EngineError } from '../../../shared/errors.ts'
import type { Cell } from './model.ts'
import { trimmed } from './values.ts'

/** Rule 10 of registry.md: the content of an ENDPOINT cell. */
export type EndpointCell =
  /** Sets the key to the value, or removes the key if there is no value. */
  | { readonly type: 'VALUE'; readonly value: string | undefined }
  | { readonly type: 'JUMP'; readonly table: string }
  | { readonly type: 'MATCH' }
  | { readonly type: 'STOP' }
  | { readonly type: 'ERROR'; readonly message: string }

/**
 * Parses `TYPE` or `TYPE:value` (registry.md rule 10).
 * @throws EngineError `bad_input`, with `at`, for an unknown type or a JUMP without a table
 */
export function parseEndpoint(cell: Cell | undefined, at: string): EndpointCell {
  const text = cell ?? ''
  const colon = text.indexOf(':')
  const type = trimmed(colon < 0 ? text : text.slice(0, colon))
  const value = colon < 0 ? undefined : trimmed(text.slice(colon + 1))
  switch (type) {
    case 'VALUE':
      return { type, value }
    case 'JUMP':
      if (value) return { type, table: value }
      throw new EngineError('bad_input', `"${at}" is a JUMP to no table; give JUMP:table`, { at })
    case 'MATCH':
    case 'STOP':
      return { type }
    case 'ERROR':
      return { type, message: value ?? '' }
    default: {
      const known = 'VALUE, JUMP, MATCH, STOP or ERROR'
      throw new EngineError('bad_input', `"${at}" is no endpoint; begin it with ${known}`, { at })
    }
  }
}
