/** Thrown if bytes violate their format. Callers add the file name and convert it to an EngineError. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}
