import type { PatientSource, TumorPlace } from './model.ts'

/** The text of a file from the last patient on, and places in it. Positions are those of the parser. */
export class KeptText {
  readonly #replaceable: ReadonlySet<string>
  #text = ''
  /** Position of the text's first character. */
  #from = 0
  #itemAt = 0
  #tumors: { start: number; isSelfClosed: boolean; items: TumorPlace['items'][number][] }[] = []

  /** @param replaceable ids of items of tumors whose places are kept */
  constructor(replaceable: ReadonlySet<string>) {
    this.#replaceable = replaceable
  }

  add(text: string): void {
    this.#text += text
  }

  /** @param position behind its first tag */
  beginTumor(position: number, isSelfClosed: boolean): void {
    this.#tumors.push({ start: position - this.#from, isSelfClosed, items: [] })
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
    this.#tumors.at(-1)?.items.push({ id, start, end: position - this.#from })
  }

  /** @param position behind its last tag */
  endPatient(position: number): PatientSource {
    const end = position - this.#from
    const source = { text: this.#text.slice(0, end), tumors: this.#tumors }
    this.#text = this.#text.slice(end)
    this.#from = position
    this.#tumors = []
    return source
  }

  get rest(): string {
    return this.#text
  }
}
