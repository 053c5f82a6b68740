import {
  type HtmlElement,
  type HtmlNode,
  plainText,
  readHtml,
} from '../../shared/formats/read-html.ts'
import type { AllowedCode, NaaccrItem } from './model.ts'

const SUMMARY = {
  'Item #': 'item_number',
  Length: 'item_length',
  'Source of Standard': 'source_of_standard',
  'Year Implemented': 'year_implemented',
  'Version Implemented': 'version_implemented',
  'Year Retired': 'year_retired',
  'Version Retired': 'version_retired',
} as const

/** Sections of the page, each a `<div>` with a heading, whose text is a member. */
const SECTIONS: Readonly<Record<string, 'description' | 'rationale'>> = {
  Description: 'description',
  Rationale: 'rationale',
}

/**
 * Parses the page of an item (registry-lookups.md 3.2).
 * @throws FormatError if the text is not HTML that can be read
 */
export function readPage(text: string): Partial<NaaccrItem> {
  const nodes = readHtml(text)
  const tables = nodes.filter((node) => isElement(node, 'table'))
  const names = alternateNames(nodes)
  const codes = tables.flatMap(codesOf)
  return {
    ...Object.assign({}, ...tables.map(summaryOf)),
    ...sectionsOf(nodes),
    ...(names.length > 0 && { alternate_names: names }),
    ...(codes.length > 0 && { allowed_codes: codes }),
  }
}

function isElement(node: HtmlNode | undefined, name: string): node is HtmlElement {
  return typeof node === 'object' && node.name === name
}

const childrenOf = (nodes: readonly HtmlNode[], name: string): HtmlElement[] =>
  nodes.flatMap((node) => (isElement(node, name) ? [node] : []))

const hasClass = ({ attributes }: HtmlElement, name: string) =>
  (attributes.class ?? '').split(' ').includes(name)

/** Reads the summary table, which has column names in the first row and values in the second. */
function summaryOf(table: HtmlElement): Partial<NaaccrItem> {
  if (!hasClass(table, 'naaccr-summary-table')) return {}
  const [head, values] = childrenOf(table.children, 'tr')
  const cells = childrenOf(values?.children ?? [], 'td').map(({ children }) => plainText(children))
  const members = childrenOf(head?.children ?? [], 'th').flatMap(({ children }, i) => {
    const column = plainText(children)
    const member = Object.hasOwn(SUMMARY, column) && SUMMARY[column as keyof typeof SUMMARY]
    return member && cells[i] ? [[member, cells[i]] as const] : []
  })
  return Object.fromEntries(members)
}

/** Reads the codes. Rows without a description are headings. */
function codesOf(table: HtmlElement): AllowedCode[] {
  return childrenOf(table.children, 'tr').flatMap((row) => {
    if (!hasClass(row, 'code-row')) return []
    const cells = childrenOf(row.children, 'td')
    const code = cells.find((cell) => hasClass(cell, 'code-nbr'))
    const description = cells.find((cell) => hasClass(cell, 'code-desc'))
    if (!code || !description) return []
    return [{ code: plainText(code.children), description: plainText(description.children) }]
  })
}

function sectionsOf(nodes: readonly HtmlNode[]): Partial<NaaccrItem> {
  const found: { description?: string; rationale?: string } = {}
  const parts = childrenOf(nodes, 'div')
  for (const [i, heading] of parts.entries()) {
    if (!hasClass(heading, 'chap10-para-head')) continue
    const html = parts[i + 1]?.children.join('').trim()
    const title = heading.children
      .join('')
      .replace(/<[^>]*>/g, '')
      .trim()
    const member = Object.hasOwn(SECTIONS, title) ? SECTIONS[title] : undefined
    if (member && html) found[member] = html
  }
  return found
}

/** Reads the lines after the heading, up to the next element that is not a line break. */
function alternateNames(nodes: readonly HtmlNode[]): string[] {
  const heading = nodes.findIndex(
    (node) => isElement(node, 'strong') && plainText(node.children) === 'Alternate Names',
  )
  if (heading < 0) return []
  const rest = nodes.slice(heading + 1)
  const end = rest.findIndex((node) => typeof node === 'object' && node.name !== 'br')
  return (end < 0 ? rest : rest.slice(0, end)).flatMap((node) =>
    typeof node === 'string' ? [plainText([node])].filter((name) => name !== '') : [],
  )
}
