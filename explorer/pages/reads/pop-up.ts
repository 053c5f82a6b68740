/** A line of an igv.js pop-up: a name and a value, or a text within HTML elements. */
export type PopUpLine = string | { readonly name?: string; readonly value?: unknown }

/** HTML that igv.js itself adds around texts of files. */
const RULE = /^<hr\s*\/?>$/i
const LIST = /^<\/?ul>$/
const LISTED = /^<li>(.*)<\/li>$/s

/**
 * Returns the HTML of an igv.js pop-up with all texts escaped. igv.js itself would insert texts of files, such
 * as read names and tag values, as HTML.
 */
export function popUpOf(lines: readonly PopUpLine[]): string {
  return lines.map(lineOf).join('')
}

function lineOf(line: PopUpLine): string {
  if (typeof line !== 'string') {
    const { name = '', value = '' } = line
    const shown = escaped(String(value))
    return `<div title="${shown}"><span>${escaped(name)}</span>&nbsp;&nbsp;&nbsp;${shown}</div>`
  }
  if (RULE.test(line)) return '<hr>'
  if (LIST.test(line)) return ''
  return `<div>${escaped(LISTED.exec(line)?.[1] ?? line)}</div>`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for HTML, including attribute values. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => ESCAPES[one] ?? one)
}
