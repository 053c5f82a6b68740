import type { SaxesParser } from 'saxes'
import { shown } from './xml.ts'

// What one patient of a file may take, far above what registries have: the readers run on the thread that
// answers everybody, and no sender says beforehand how much comes.

/** From the end of one patient to that of the next: what is held in memory. */
export const MAX_PATIENT_CHARACTERS = 4 << 20
/** The most that are known of one patient are some tens. */
export const MAX_PATIENT_TUMORS = 1000
/** The standard has a thousand of a tumor. */
export const MAX_ITEMS = 10_000
/** Elements of other namespaces, from the end of one patient to that of the next; levels of them. */
export const MAX_FOREIGN = 10_000
export const MAX_FOREIGN_DEPTH = 32
/** The standard's own tags have 12 attributes at most, its definitions of items. */
export const MAX_ATTRIBUTES = 100
export const MAX_TAG_CHARACTERS = 64 << 10
/** Of a text, a comment or a name, which the parser keeps in parts until it ends. */
export const MAX_PIECE_CHARACTERS = 1 << 20

/** Refuses what is too long before the rest of it is kept: the parser tells of nothing until it ends. */
export class PieceBounds {
  readonly #parser: SaxesParser
  readonly #refuse: (message: string) => void
  /** Where what the parser told of last ended. */
  #told = 0
  /** Of a first tag that has begun. */
  #tag: string | undefined
  #attributes = 0

  /** @param refuse throws the message with its place */
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

  /** To be called when a tag, a text or a section of CDATA has ended. */
  ended(): void {
    this.mustFit()
    this.#tag = undefined
    this.#told = this.#parser.position
  }

  /** To be called after each text that is written. */
  mustFit(): void {
    const most = this.#tag === undefined ? MAX_PIECE_CHARACTERS : MAX_TAG_CHARACTERS
    if (this.#parser.position - this.#told > most) this.#tooLarge(most, 'characters')
  }

  #tooLarge(most: number, what: string): void {
    const piece =
      this.#tag === undefined ? 'a text, comment or name' : `the tag <${shown(this.#tag)}>`
    this.#refuse(`${piece} has more than ${most} ${what}; give at most ${most}`)
  }
}
