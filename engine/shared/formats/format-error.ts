/**
 * Thrown for bytes that violate their format. Callers add the name of the file and convert it to an
 * EngineError.
 */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}
