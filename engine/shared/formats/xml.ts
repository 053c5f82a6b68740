import Builder, { type XMLBuilder } from 'fast-xml-builder'

// What XML 1.0 cannot hold, not even escaped (section 2.2), what has to be escaped in a text, and
// the carriage return, which a reader would take for a line end.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const SPECIAL = /[\0-\x08\x0b-\x1f&<>\ufffe\uffff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const ALL_SPECIAL = /[\0-\x08\x0b-\x1f&<>\ufffe\uffff]/g
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#13;',
}
const NAME = /^[A-Za-z_][\w.-]*$/

export const XML_DECLARATION = '<?xml version="1.0" ?>'

/**
 * Writes values as XML (data-commons.md 3.6): members become elements, elements of arrays `item`; null, an
 * empty text, object or array is a self-closed element. Names that are no XML names are made ones.
 */
export class XmlWriter {
  readonly newLine: string
  readonly #indent: string
  readonly #builder: XMLBuilder

  /** @param pretty a line per element, one tab per level */
  constructor({ pretty }: { readonly pretty: boolean }) {
    this.newLine = pretty ? '\n' : ''
    this.#indent = pretty ? '\t' : ''
    this.#builder = new Builder({
      format: pretty,
      indentBy: '\t',
      suppressEmptyNode: true,
      maxNestedTags: 0,
      processEntities: false,
    })
  }

  open(name: string, depth: number): string {
    return `${this.#indent.repeat(depth)}<${name}>${this.newLine}`
  }

  close(name: string, depth: number): string {
    return `${this.#indent.repeat(depth)}</${name}>${this.newLine}`
  }

  /** One element and all that is in it, `depth` levels below the root. */
  element(name: string, value: unknown, depth: number): string {
    // The builder counts levels from its root: stand-ins for the outer elements are cut off.
    let nested: object = { [nameOf(name)]: contentOf(value) }
    for (let i = 0; i < depth; i++) nested = { _: nested }
    const text = this.#builder.build(nested)
    let before = 0
    let after = 0
    for (let i = 0; i < depth; i++) {
      before += this.open('_', i).length
      after += this.close('_', i).length
    }
    return text.slice(before, text.length - after)
  }
}

/** A text as it stands between tags; what XML cannot hold is left out. */
export const escapeText = (text: string): string =>
  SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (one) => ESCAPES[one] ?? '') : text

const nameOf = (name: string) => (NAME.test(name) ? name : `_${name.replace(/[^\w.-]/g, '_')}`)

/** The value in the builder's form. */
function contentOf(value: unknown): unknown {
  if (typeof value === 'string') return escapeText(value)
  // An empty text looks the same; the builder puts a null in front of the other items.
  if (value === null) return ''
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return value.length > 0 ? { item: value.map(contentOf) } : ''
  const content: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) content[nameOf(name)] = contentOf(member)
  return content
}
