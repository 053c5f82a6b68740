// Texts of cases and cells as the rules of section 4 compare them.

const SPACE = 0x20
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39

/** Without code units up to the space at both ends; other white space stays, as in the reference. */
export function trimmed(text: string): string {
  const { length } = text
  if (length === 0) return text
  if (text.charCodeAt(0) > SPACE && text.charCodeAt(length - 1) > SPACE) return text
  let start = 0
  let end = length
  while (start < end && text.charCodeAt(start) <= SPACE) start++
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end--
  return text.slice(start, end)
}

/** Rule 7: an optional minus, digits with at most one point, which is not last; not empty. */
export function isNumeric(text: string): boolean {
  const { length } = text
  const start = text.charCodeAt(0) === MINUS ? 1 : 0
  if (length === start || text.charCodeAt(length - 1) === POINT) return false
  let points = 0
  for (let i = start; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === POINT) points++
    else if (unit < ZERO || unit > NINE) return false
  }
  return points <= 1
}

/** The key of a text that is wholly `{{key}}` (rule 13), else undefined. */
export function referencedKey(text: string): string | undefined {
  return /^\{\{([^{}]+)\}\}$/.exec(text)?.[1]
}
