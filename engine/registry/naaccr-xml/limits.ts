import type { SaxesParser } from 'saxes'
import { shown } from './xml.ts'

// Limits for one patient, far above real data. The size of a patient is not known beforehand.

/** Bytes from the end of one patient to the end of the next, which are held in memory. */
export const MAX_PATIENT_BYTES = 4 << 20
export const TOO_LARGE_PATIENT = `one patient has more than ${MAX_PATIENT_BYTES} bytes; give at most ${MAX_PATIENT_BYTES}`
/** The highest known number for a patient is in the tens. */
export const MAX_PATIENT_TUMORS = 1000
/** The standard defines about a thousand items per tumor. */
export const MAX_ITEMS = 10_000
/** Elements of other namespaces between the ends of two patients, and their maximum depth. */
export const MAX_FOREIGN = 10_000
export const MAX_FOREIGN_DEPTH = 32
/** The standard's own tags have at most 12 attributes, in item definitions. */
export const MAX_ATTRIBUTES = 100
const MAX_TAG_CHARACTERS = 64 << 10
/** Length of a text, comment or name, which the parser buffers until it ends. */
export const MAX_PIECE_CHARACTERS = 1 << 20

/** Refuses a long piece before the rest of it is buffered, because the parser only reports complete pieces. */
export class PieceBounds {
  readonly #parser: SaxesParser
  readonly #refuse: (message: string) => void
  /** End of the last piece that the parser reported. */
  #checkedTo = 0
  /** Name of the start tag that is being read. */
  #tag: string | undefined
  #attributes = 0

  /**
   * Creates the limits for a parser.
   * @param refuse throws the message with its position
   */
  constructor(parser: SaxesParser, refuse: (message: string) => void) {
    this.#parser = parser
    this.#refuse = refuse
    parser.on('opentagstart', ({ name }) => {
      this.#tag = name
      this.#attributes = 0
    })
    parser.on('attribute', () => {
      if (++this.#attributes > MAX_ATTRIBUTES) this.#tooLarge(MAX_ATTRIBUTES, 'attributes')
    })
    parser.on('comment', () => this.ended())
    parser.on('processinginstruction', () => this.ended())
  }

  /** Must be called when a tag, a text or a CDATA section has ended. */
  ended(): void {
    this.checkSize()
    this.#tag = undefined
    this.#checkedTo = this.#parser.position
  }

  /** Checks the size of the current tag or text. Must be called after each text that is written to the parser. */
  checkSize(): void {
    const most = this.#tag === undefined ? MAX_PIECE_CHARACTERS : MAX_TAG_CHARACTERS
    if (this.#parser.position - this.#checkedTo > most) this.#tooLarge(most, 'characters')
  }

  #tooLarge(most: number, what: string): void {
    const piece =
      this.#tag === undefined ? 'a text, comment or name' : `the tag <${shown(this.#tag)}>`
    this.#refuse(`${piece} has more than ${most} ${what}; give at most ${most}`)
  }
}
