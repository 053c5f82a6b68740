import type { ElementPlace, PatientSource } from './model.ts'

interface Place {
  readonly start: number
  readonly isSelfClosed: boolean
  readonly items: ElementPlace['items'][number][]
}

/** The text of a file after the last patient, with positions in it. Positions are those of the parser. */
export class KeptText {
  readonly #replaceable: ReadonlySet<string>
  #text = ''
  /** Position of the first character of the text. */
  #from: number
  #itemAt = 0
  /** The patient, followed by its tumors. */
  #places: Place[] = []

  /**
   * Creates an empty buffer.
   * @param replaceable ids of the items whose positions are recorded
   * @param from position of the parser at the start of the text
   */
  constructor(replaceable: ReadonlySet<string>, from: number) {
    this.#replaceable = replaceable
    this.#from = from
  }

  add(text: string): void {
    this.#text += text
  }

  /**
   * Starts a patient or a tumor.
   * @param position after its start tag
   */
  beginElement(position: number, isSelfClosed: boolean): void {
    this.#places.push({ start: position - this.#from, isSelfClosed, items: [] })
  }

  /**
   * Starts an item.
   * @param position after its start tag
   */
  beginItem(position: number): void {
    this.#itemAt = position - this.#from
  }

  /**
   * Ends an item.
   * @param position after its end tag
   */
  endItem(id: string, position: number): void {
    if (!this.#replaceable.has(id)) return
    // Attribute values cannot contain this character.
    const start = this.#text.lastIndexOf('<', this.#itemAt - 1)
    this.#places.at(-1)?.items.push({ id, start, end: position - this.#from })
  }

  /**
   * Ends a patient and returns its text.
   * @param position after its end tag
   */
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
