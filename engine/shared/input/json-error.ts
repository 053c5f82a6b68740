/** Position in a text. Line and column start at 1. Columns count UTF-16 units. */
interface TextPlace {
  readonly line: number
  readonly column: number
}

/**
 * Finds where a text stops being valid JSON. V8 reports most positions. It does not report an invalid first
 * character of a value, nor the end of a truncated text.
 * @param thrown error that `JSON.parse` threw for the text
 */
export function jsonErrorPlace(text: string, thrown: unknown): TextPlace {
  return textPlace(text, jsonErrorOffset(text, thrown))
}

/** Finds the offset of the place of jsonErrorPlace, in UTF-16 units. */
export function jsonErrorOffset(text: string, thrown: unknown): number {
  const stated = thrown instanceof SyntaxError ? / at position (\d+)/.exec(thrown.message) : null
  return stated ? Number(stated[1]) : firstWrongValue(text)
}

/** Returns the position of an offset in UTF-16 units. */
export function textPlace(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset)
  let line = 1
  let start = 0
  for (let end = before.indexOf('\n'); end >= 0; end = before.indexOf('\n', start)) {
    line += 1
    start = end + 1
  }
  return { line, column: offset - start + 1 }
}

/** Formats the position of a JSON error: `not valid JSON at line 1, column 8`. */
export function jsonErrorText(text: string, thrown: unknown): string {
  return jsonPlaceText(jsonErrorPlace(text, thrown))
}

export function jsonPlaceText({ line, column }: TextPlace): string {
  return `not valid JSON at line ${line}, column ${column}`
}

/** Matches JSON values other than strings, arrays and objects. */
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y

/** Returns the offset of the first value that starts wrongly, or the end of the text. */
function firstWrongValue(text: string): number {
  /** Whether each enclosing bracket is an array, innermost last. */
  const inArray: boolean[] = []
  let isValue = true
  /** Whether the last character opened an array, which may be empty. */
  let isFirst = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (BLANKS.includes(character)) continue
    if (character === '"') {
      at = endOfText(text, at + 1)
      isValue = false
    } else if (isValue && !(isFirst && character === ']')) {
      if (character === '[' || character === '{') inArray.push(character === '[')
      else {
        SCALAR.lastIndex = at
        if (!SCALAR.test(text)) return at
        at = SCALAR.lastIndex - 1
      }
      isValue = character === '['
    } else {
      // All other characters between values are valid here, because V8 would have reported their positions.
      if (character === ']' || character === '}') inArray.pop()
      isValue = character === ':' || (character === ',' && inArray.at(-1) === true)
    }
    isFirst = character === '['
  }
  return text.length
}

const BLANKS = ' \t\n\r'

/** Returns the offset of the closing quote of a string. */
function endOfText(text: string, start: number): number {
  let at = start
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
