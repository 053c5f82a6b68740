// Trims and classifies values of cases and of cells of staging tables.

const SPACE = 0x20
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39

/**
 * Removes spaces and control characters (code units up to U+0020) at both ends. Other white space stays, as in
 * the reference implementation.
 */
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

/** Tests rule 7 of registry.md: an optional minus, then digits with at most one point, not at the end. */
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

/** Start of a reference to a key. A text without it contains no reference. */
export const REFERENCE_MARK = '{{'

/** Returns the key if a text is just `{{key}}` (registry.md rule 13), otherwise undefined. */
export function referencedKey(text: string): string | undefined {
  return /^\{\{([^{}]+)\}\}$/.exec(text)?.[1]
}
