import { XMLParser } from 'fast-xml-parser'
import { FormatError } from './format-error.ts'

/** An element with its children. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** The element's own text, with its whitespace. */
  readonly text: string
}

const TEXT = '#text'
const ATTRIBUTES = ':@'
const MAX_DEPTH = 32

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
  // The library decodes numeric character references only if this option is set.
  htmlEntities: true,
})

/**
 * Parses a small document and returns its root element. Declarations are rejected, so that only the
 * predefined entities of XML are expanded.
 * @throws FormatError if the text is not well-formed, is nested too deeply or has declarations
 */
export function readXml(text: string): XmlElement {
  // CDATA sections and comments may contain anything.
  if (/<!(?!--|\[CDATA\[)/.test(text)) {
    throw new FormatError('it has declarations (<!DOCTYPE); leave them out')
  }
  const [root, ...others] = elementsOf(parsed(text))
  if (root && others.length === 0) return root
  throw new FormatError('it has not one root element')
}

function parsed(text: string): unknown {
  try {
    return parser.parse(text, true)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw new FormatError(`it is no well-formed XML: ${reason}`)
  }
}

type Node = Readonly<Record<string, unknown>>

function elementsOf(nodes: unknown): XmlElement[] {
  return (nodes as readonly Node[]).flatMap((node) => {
    const name = Object.keys(node).find((one) => one !== ATTRIBUTES)
    if (name === undefined || name === TEXT) return []
    const content = node[name] as readonly Node[]
    const attributes = (node[ATTRIBUTES] ?? {}) as Readonly<Record<string, string>>
    const text = content.map((part) => part[TEXT] ?? '').join('')
    return [{ name, attributes, children: elementsOf(content), text }]
  })
}
