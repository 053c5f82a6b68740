import { EngineError } from '../shared/errors.ts'
import { FormatError } from '../shared/formats/format-error.ts'

/**
 * An error of the engine as one that also names the place in which it came; any other error as it
 * is. To be thrown.
 * @param separator stands between the place and the member that the error names
 */
export function errorIn(place: string, cause: unknown, separator: '.' | ': ' = '.'): unknown {
  if (!(cause instanceof EngineError)) return cause
  const at = cause.at ? `${place}${separator}${cause.at}` : place
  return new EngineError(cause.code, `in "${place}", ${cause.message}`, { at, cause })
}

/**
 * Reads a table that somebody gave.
 * @param name of the file
 * @throws EngineError bad_input, naming the file, for a FormatError
 */
export function inTable<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new EngineError('bad_input', `in "${name}", ${cause.message}`, { at: name, cause })
  }
}
