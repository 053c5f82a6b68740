import { FormatError } from '../formats/format-error.ts'
import { foreignFormat } from './foreign-format.ts'

/**
 * Decodes UTF-8 and removes the byte order mark.
 * @throws FormatError for other encodings, and for binary formats, which it names
 */
export function utf8Text(bytes: Uint8Array): string {
  const foreign = foreignFormat(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (foreign !== undefined) throw new FormatError(foreign)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new FormatError('it is not UTF-8; save it as UTF-8', { cause })
  }
}
