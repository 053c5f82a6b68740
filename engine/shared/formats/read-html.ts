import { XMLParser } from 'fast-xml-parser'
import { FormatError } from './format-error.ts'

/** A text, or an element with its children. */
export type HtmlNode = string | HtmlElement

export interface HtmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly HtmlNode[]
}

const TEXT = '#text'
const ATTRIBUTES = ':@'

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
  htmlEntities: true,
  maxNestedTags: 32,
  stopNodes: ['..div'],
  unpairedTags: ['br', 'hr', 'img'],
})

/**
 * Parses a generated HTML page. The content of a `<div>` becomes one text that includes its tags. This is not a
 * general HTML parser: elements that are not closed are read as far as possible.
 * @throws FormatError if the text cannot be parsed or has declarations or comments
 */
export function readHtml(text: string): HtmlNode[] {
  if (text.includes('<!')) throw new FormatError('it has declarations or comments; leave them out')
  try {
    const [page] = parser.parse(`<page>${text}</page>`) as readonly Node[]
    return nodesOf(page?.page)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw new FormatError(`it is no HTML with closed elements: ${reason}`)
  }
}

type Node = Readonly<Record<string, unknown>>

function nodesOf(nodes: unknown): HtmlNode[] {
  return ((nodes ?? []) as readonly Node[]).flatMap((node): HtmlNode[] => {
    if (TEXT in node) return [String(node[TEXT])]
    const name = Object.keys(node).find((one) => one !== ATTRIBUTES)
    if (name === undefined) return []
    const attributes = (node[ATTRIBUTES] ?? {}) as Readonly<Record<string, string>>
    return [{ name, attributes, children: nodesOf(node[name]) }]
  })
}

/** Returns the text of nodes as a single line. */
export function plainText(nodes: readonly HtmlNode[]): string {
  return lineOf(nodes.map(textOf).join(''))
}

function textOf(node: HtmlNode): string {
  if (typeof node === 'string') return node
  return node.name === 'br' ? ' ' : node.children.map(textOf).join('')
}

const lineOf = (text: string) => text.replace(/\s+/g, ' ').trim()
