import { EngineError } from '../../shared/errors.ts'
import { RELEASE_OBJECTS } from './contents.ts'

/** Matches one or more folder names that need no encoding in object keys. */
const PREFIX = /^[\w.=-]+(\/[\w.=-]+)*$/

/**
 * Checks that commands may store objects below a prefix. Returns the prefix.
 * @throws EngineError bad_input if it is malformed, or reserved for releases
 */
export function checkPrefix(prefix: string): string {
  const [first = ''] = prefix.split('/')
  if (PREFIX.test(prefix) && first !== RELEASE_OBJECTS && !/^\.*$/.test(first)) return prefix
  const message = `prefix "${prefix.slice(0, 80)}" cannot be used: give names of letters, digits, ".", "_", "=" and "-" with "/" between them, not below "${RELEASE_OBJECTS}"`
  throw new EngineError('bad_input', message, { at: 'bucket' })
}
