/** A line of a pop-up as igv.js gives it: a name and a value, or a text with elements of its own around it. */
export type PopUpLine = string | { readonly name?: string; readonly value?: unknown }

/** Elements that igv.js puts around what files say, or between: none of it comes from a file. */
const RULE = /^<hr\s*\/?>$/i
const LIST = /^<\/?ul>$/
const LISTED = /^<li>(.*)<\/li>$/s

/**
 * What a pop-up of igv.js shows, as HTML. igv.js itself would take what files say for HTML, such as names of reads
 * and values of tags; here it is text.
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

/** A text as HTML that shows it, also within the value of an attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => ESCAPES[one] ?? one)
}
