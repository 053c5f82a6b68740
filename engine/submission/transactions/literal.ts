/** Longest value in a message, in characters. */
const MAX_CHARACTERS = 1000

/**
 * Formats a value as Python does, because clients expect this in messages (submission.md 7.7).
 * @example literal(['a', null, true]) // "['a', None, True]"
 */
export function literal(value: unknown): string {
  return shortened(written(value))
}

/** Shortens a text for a message. */
export function shortened(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text
}

/** Maximum number of values in a message, since a response may have 10,000 messages. */
const MAX_VALUES = 100

/** Formats values separated by commas. After the hundredth, only the number of further values is given. */
export function literals(values: Iterable<unknown>): string {
  const all = [...values]
  const listed = all.slice(0, MAX_VALUES).map(literal)
  if (all.length > MAX_VALUES) listed.push(`... (${all.length - MAX_VALUES} more)`)
  return listed.join(', ')
}

function written(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'boolean':
      return value ? 'True' : 'False'
    case 'number':
      // Python writes exponents with at least two digits.
      return String(value).replace(/e([+-])(\d)$/, 'e$10$2')
    case 'bigint':
      return String(value)
    default:
      return value === null || value === undefined ? 'None' : nested(value)
  }
}

function nested(value: object): string {
  if (Array.isArray(value)) return `[${literals(value)}]`
  const members = Object.entries(value).slice(0, MAX_VALUES)
  return `{${members.map(([key, member]) => `${literal(key)}: ${literal(member)}`).join(', ')}}`
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replace(/[\\\p{Cc}]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, '0')
    return ESCAPES.get(character) ?? `\\x${code}`
  })
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`
}
