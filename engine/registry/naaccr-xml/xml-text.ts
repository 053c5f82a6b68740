import { escapeText } from '../../shared/formats/xml.ts'
import type { ElementPlace, FileHead, Items, PatientSource, Tumor } from './model.ts'

const NAMESPACE = 'http://naaccr.org/naaccrxml'

/** Writes a file of another format as NAACCR XML, with the positions of items in each patient. */
export class XmlText {
  readonly #replaceable: ReadonlySet<string>
  readonly #root: string
  /** Text before the next patient. */
  #before = ''
  /** Text of the current patient. */
  #text = ''
  #patient: ElementPlace = { start: 0, isSelfClosed: false, items: [] }
  #tumors: ElementPlace[] = []

  constructor({ baseDictionaryUri, recordType }: FileHead, replaceable: ReadonlySet<string>) {
    this.#replaceable = replaceable
    this.#root =
      `<?xml version="1.0" encoding="UTF-8"?>\n<NaaccrData baseDictionaryUri="${baseDictionaryUri}"` +
      ` recordType="${recordType}" specificationVersion="1.8" xmlns="${NAMESPACE}">`
  }

  /**
   * Starts the file.
   * @param items items of the root
   */
  begin(items: Items): void {
    const texts = [...items].map(([id, value]) => itemText(id, value, '  '))
    this.#before = this.#root + texts.join('')
  }

  beginPatient(items: Items): void {
    const texts = [...items].map(([id, value]) => itemText(id, value, '    '))
    const begun = `${this.#before}\n  <Patient>`
    const start = begun.length
    this.#patient = { start, isSelfClosed: false, items: this.#itemPlaces(items, start, '    ') }
    this.#text = begun + texts.join('')
    this.#before = ''
    this.#tumors = []
  }

  /** Adds a tumor to the current patient. */
  addTumor(tumor: Tumor): void {
    const begun = `${this.#text}\n    <Tumor>`
    const start = begun.length
    const items = this.#itemPlaces(tumor.items, start, '      ')
    this.#tumors.push({ start, isSelfClosed: false, items })
    const texts = [...tumor.items].map(([id, value]) => itemText(id, value, '      '))
    this.#text = `${begun}${texts.join('')}\n    </Tumor>`
  }

  /** Returns the text of a patient from the end of the previous patient. */
  endPatient(): PatientSource {
    return { text: `${this.#text}\n  </Patient>`, patient: this.#patient, tumors: this.#tumors }
  }

  /** Returns the text after the last patient. */
  end(): string {
    return `${this.#before}\n</NaaccrData>\n`
  }

  #itemPlaces(items: Items, start: number, indent: string): ElementPlace['items'] {
    const places: ElementPlace['items'][number][] = []
    let at = start
    for (const [id, value] of items) {
      const end = at + itemText(id, value, indent).length
      if (this.#replaceable.has(id)) places.push({ id, start: at, end })
      at = end
    }
    return places
  }
}

const itemText = (id: string, value: string, indent: string) =>
  `\n${indent}<Item naaccrId="${id}">${escapeText(value)}</Item>`
