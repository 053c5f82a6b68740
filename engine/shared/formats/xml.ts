import Builder, { type XMLBuilder } from 'fast-xml-builder'

// Matches three kinds of characters: those that XML 1.0 cannot contain even escaped (section 2.2), those that
// must be escaped in text, and CR, which a parser would normalise to LF.
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
 * Writes values as XML (data-commons.md 3.6). Members become elements, array elements become `item`. Null and
 * empty texts, objects and arrays are self-closing elements. Invalid element names are made valid.
 */
export class XmlWriter {
  readonly newLine: string
  readonly #indent: string
  readonly #builder: XMLBuilder

  /** @param pretty writes one element per line, indented by one tab per level */
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

  /**
   * Returns an element with its content.
   * @param depth levels below the root, for the indentation
   */
  element(name: string, value: unknown, depth: number): string {
    // The builder indents from its root, so the element is nested in placeholders that are cut off later.
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

/** Escapes a text for XML and removes the characters that XML cannot contain. */
export const escapeText = (text: string): string =>
  SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (one) => ESCAPES[one] ?? '') : text

const nameOf = (name: string) => (NAME.test(name) ? name : `_${name.replace(/[^\w.-]/g, '_')}`)

/** Converts a value to the form that the builder expects. */
function contentOf(value: unknown): unknown {
  if (typeof value === 'string') return escapeText(value)
  // An empty text produces the same element. With null, the builder would change the order of the items.
  if (value === null) return ''
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return value.length > 0 ? { item: value.map(contentOf) } : ''
  const content: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) content[nameOf(name)] = contentOf(member)
  return content
}
