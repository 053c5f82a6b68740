/** Where a text goes wrong, both counted from 1; columns are UTF-16 units. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/**
 * Where a text first is no JSON. The parser gives the place of most errors, but not that of a value
 * that does not begin as one, nor of a text that ends too early.
 * @param error what `JSON.parse` threw for the text
 */
export function jsonErrorPlace(text: string, thrown: unknown): TextPlace {
  const stated = thrown instanceof SyntaxError ? / at position (\d+)/.exec(thrown.message) : null
  const place = stated ? Number(stated[1]) : firstWrongValue(text)
  const before = text.slice(0, place)
  let line = 1
  let start = 0
  for (let end = before.indexOf('\n'); end >= 0; end = before.indexOf('\n', start)) {
    line += 1
    start = end + 1
  }
  return { line, column: place - start + 1 }
}

/** The text of an error: `not valid JSON at line 1, column 8`. */
export function jsonErrorText(text: string, thrown: unknown): string {
  const { line, column } = jsonErrorPlace(text, thrown)
  return `not valid JSON at line ${line}, column ${column}`
}

/** Values that are neither texts nor arrays nor objects. */
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y

/** The place of the first value that does not begin as one; the end where all do. */
function firstWrongValue(text: string): number {
  /** Of each open array and object, the innermost last. */
  const inArray: boolean[] = []
  let isValue = true
  /** Right behind the bracket of an array, which may be empty. */
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
      // What stands between values is right: else the parser would have given its place.
      if (character === ']' || character === '}') inArray.pop()
      isValue = character === ':' || (character === ',' && inArray.at(-1) === true)
    }
    isFirst = character === '['
  }
  return text.length
}

const BLANKS = ' \t\n\r'

/** Of the quote that ends a text. */
function endOfText(text: string, start: number): number {
  let at = start
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
