import { escapeText } from '../../shared/formats/xml.ts'
import type { FileHead, Items, PatientSource, Tumor, TumorPlace } from './model.ts'

const NAMESPACE = 'http://naaccr.org/naaccrxml'

/** A file that was of another form, as NAACCR XML: patients with the places of their items. */
export class XmlText {
  readonly #replaceable: ReadonlySet<string>
  readonly #root: string
  /** Before the next patient. */
  #before = ''

  constructor({ baseDictionaryUri, recordType }: FileHead, replaceable: ReadonlySet<string>) {
    this.#replaceable = replaceable
    this.#root =
      `<?xml version="1.0" encoding="UTF-8"?>\n<NaaccrData baseDictionaryUri="${baseDictionaryUri}"` +
      ` recordType="${recordType}" specificationVersion="1.8" xmlns="${NAMESPACE}">`
  }

  /** @param items of the root */
  begin(items: Items): void {
    const texts = [...items].map(([id, value]) => itemText(id, value, '  '))
    this.#before = this.#root + texts.join('')
  }

  /** The text of a patient, from the end of the one before it. */
  patient(items: Items, tumors: readonly Tumor[]): PatientSource {
    let text = `${this.#before}\n  <Patient>`
    this.#before = ''
    for (const [id, value] of items) text += itemText(id, value, '    ')
    const places = tumors.map((tumor): TumorPlace => {
      text += '\n    <Tumor>'
      const place = {
        start: text.length,
        isSelfClosed: false,
        items: this.#itemPlaces(tumor, text.length),
      }
      for (const [id, value] of tumor.items) text += itemText(id, value, '      ')
      text += '\n    </Tumor>'
      return place
    })
    return { text: `${text}\n  </Patient>`, tumors: places }
  }

  /** The text behind the last patient. */
  end(): string {
    return `${this.#before}\n</NaaccrData>\n`
  }

  #itemPlaces({ items }: Tumor, start: number): TumorPlace['items'] {
    const places: TumorPlace['items'][number][] = []
    let at = start
    for (const [id, value] of items) {
      const end = at + itemText(id, value, '      ').length
      if (this.#replaceable.has(id)) places.push({ id, start: at, end })
      at = end
    }
    return places
  }
}

const itemText = (id: string, value: string, indent: string) =>
  `\n${indent}<Item naaccrId="${id}">${escapeText(value)}</Item>`
