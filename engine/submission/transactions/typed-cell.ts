import { decimalIn, wholeDigits } from '../../shared/input/decimal.ts'
import type { Kind, Property } from '../dictionary/property.ts'
import { wholeNumber } from './submitted.ts'

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
/** Separator of list values. Not a comma, because values may contain commas. */
export const LIST_SEPARATOR = '|'

/**
 * Converts the text of a cell to a value of a property (submission.md 8). A text that cannot be converted is
 * returned unchanged, so that errors show it as given.
 * @example typedCell('12', { kinds: new Set(['integer']) }) // 12
 */
export function typedCell(text: string, property: Property | undefined): unknown {
  if (text === 'null') return null
  switch (property && cellKind(property)) {
    case 'boolean':
      return BOOLEANS.get(text.toLowerCase()) ?? text
    case 'integer': {
      const digits = wholeDigits(text)
      return digits === undefined ? text : (wholeNumber(digits) ?? text)
    }
    case 'number':
      return decimalIn(text) ?? text
    case 'array':
      return text.split(LIST_SEPARATOR).map((item) => typedCell(item.trim(), property?.items))
    default:
      return text
  }
}

/** Returns the first type that is not null, of the property itself or of its alternatives. */
function cellKind({ kinds, alternatives = [] }: Property): Kind | undefined {
  for (const kind of kinds ?? []) if (kind !== 'null') return kind
  for (const alternative of alternatives) {
    const kind = cellKind(alternative)
    if (kind !== undefined) return kind
  }
  return undefined
}
