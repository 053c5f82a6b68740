import { XMLParser } from 'fast-xml-parser'
import { FormatError } from './format-error.ts'

/** One element with what is in it. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Its own text, blanks and line ends as they are. */
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
  // References by number are among these for the library.
  htmlEntities: true,
})

/**
 * The root element of a small document. Nothing may be declared in it, so that no entity is there to be
 * expanded but those of XML itself.
 * @throws FormatError for what is not well-formed, nested too deeply, or declares something
 */
export function readXml(text: string): XmlElement {
  // CDATA may hold anything, and so may comments.
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
    const told = cause instanceof Error ? cause.message : 'unknown'
    throw new FormatError(`it is no well-formed XML: ${told}`)
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
