import type { ElementPlace, PatientSource } from './model.ts'

interface Place {
  readonly start: number
  readonly isSelfClosed: boolean
  readonly items: ElementPlace['items'][number][]
}

/** The text of a file from the last patient on, and places in it. Positions are those of the parser. */
export class KeptText {
  readonly #replaceable: ReadonlySet<string>
  #text = ''
  /** Position of the text's first character. */
  #from = 0
  #itemAt = 0
  /** The patient, then its tumors. */
  #places: Place[] = []

  /** @param replaceable ids of items whose places are kept */
  constructor(replaceable: ReadonlySet<string>) {
    this.#replaceable = replaceable
  }

  add(text: string): void {
    this.#text += text
  }

  /**
   * Of a patient or a tumor.
   * @param position behind its first tag
   */
  beginElement(position: number, isSelfClosed: boolean): void {
    this.#places.push({ start: position - this.#from, isSelfClosed, items: [] })
  }

  /** @param position behind its first tag */
  beginItem(position: number): void {
    this.#itemAt = position - this.#from
  }

  /** @param position behind its last tag */
  endItem(id: string, position: number): void {
    if (!this.#replaceable.has(id)) return
    // No value of an attribute holds the character.
    const start = this.#text.lastIndexOf('<', this.#itemAt - 1)
    this.#places.at(-1)?.items.push({ id, start, end: position - this.#from })
  }

  /** @param position behind its last tag */
  endPatient(position: number): PatientSource {
    const end = position - this.#from
    const [patient = NOWHERE, ...tumors] = this.#places
    const source = { text: this.#text.slice(0, end), patient, tumors }
    this.#text = this.#text.slice(end)
    this.#from = position
    this.#places = []
    return source
  }

  get rest(): string {
    return this.#text
  }
}

const NOWHERE: Place = { start: 0, isSelfClosed: false, items: [] }
