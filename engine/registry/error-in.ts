import { EngineError } from '../shared/errors.ts'
import { FormatError } from '../shared/formats/format-error.ts'

/**
 * Adds the place of the failure to an engine error. Returns any other error unchanged. The caller throws the
 * result.
 * @param separator text between the place and the member that the error names
 */
export function errorIn(place: string, cause: unknown, separator: '.' | ': ' = '.'): unknown {
  if (!(cause instanceof EngineError)) return cause
  const at = cause.at ? `${place}${separator}${cause.at}` : place
  return new EngineError(cause.code, `in "${place}", ${cause.message}`, { at, cause })
}

/**
 * Reads a table supplied by a user.
 * @param name file name
 * @throws EngineError `bad_input`, naming the file, for a FormatError
 */
export function inTable<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new EngineError('bad_input', `in "${name}", ${cause.message}`, { at: name, cause })
  }
}
