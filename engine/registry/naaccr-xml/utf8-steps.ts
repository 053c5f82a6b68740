import { TextDecoder } from 'node:util'
import { EngineError } from '../../shared/errors.ts'

/** Text of bytes that arrive in steps. */
interface DecodedStep {
  readonly text: string
  /** The error that follows the text, if the bytes are not UTF-8. */
  readonly error?: EngineError
}

/** Decodes UTF-8 in steps, and returns the text before the first invalid bytes. */
export class Utf8Steps {
  readonly #decoder: TextDecoder
  #before: Uint8Array = new Uint8Array()

  /** @param isFirst whether the bytes are the start of a file, which may have a byte order mark */
  constructor(isFirst: boolean) {
    this.#decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: !isFirst })
  }

  /** Decodes the next bytes, or without any, the end. */
  decode(bytes?: Uint8Array): DecodedStep {
    try {
      const text = this.#decoder.decode(bytes, { stream: bytes !== undefined })
      if (bytes) this.#before = begunIn(this.#before, bytes)
      return { text }
    } catch {
      const begun = bytes ? wellFormed(Buffer.concat([this.#before, bytes])) : ''
      const error = new EngineError('bad_input', 'the file is not UTF-8')
      // Without this test, binary data would be reported as invalid XML.
      return { text: TEXT.test(begun.slice(0, TESTED)) ? begun : '', error }
    }
  }
}

const TEXT = /^[\t\n\r -\uFFFF]*$/
/** Number of characters in which binary data has control characters. */
const TESTED = 256

/** Returns the text before the first invalid bytes. */
const wellFormed = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes, { stream: true }).split('\uFFFD', 1)[0] ?? ''

/** Returns the bytes of an incomplete character at the end. */
function begunIn(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  const last = bytes.length < MAX_BEGUN ? Buffer.concat([before, bytes]) : bytes
  for (let length = 1; length <= Math.min(MAX_BEGUN, last.length); length++) {
    const byte = last[last.length - length] as number
    if (byte >= 0xc0) return length < sizeOf(byte) ? last.slice(-length) : new Uint8Array()
    if (byte < 0x80) break
  }
  return new Uint8Array()
}

const MAX_BEGUN = 3
const sizeOf = (lead: number) => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2)
