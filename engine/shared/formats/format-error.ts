/** Bytes that do not follow their format. The engine adds which file it was and turns it into its own error. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}
