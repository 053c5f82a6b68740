import { EngineError } from '../../shared/errors.ts'
import { RELEASE_OBJECTS } from './contents.ts'

/** Of one folder or of several, as object keys have it without being encoded. */
const PREFIX = /^[\w.=-]+(\/[\w.=-]+)*$/

/**
 * A prefix below which a command may store objects of its own.
 * @throws EngineError bad_input
 */
export function checkPrefix(prefix: string): string {
  const [first = ''] = prefix.split('/')
  if (PREFIX.test(prefix) && first !== RELEASE_OBJECTS && !/^\.*$/.test(first)) return prefix
  const message = `prefix "${prefix.slice(0, 80)}" cannot be used: give names of letters, digits, ".", "_", "=" and "-" with "/" between them, not below "${RELEASE_OBJECTS}"`
  throw new EngineError('bad_input', message, { at: 'bucket' })
}
