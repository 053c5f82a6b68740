import type { FieldType } from '../datasets/define.ts'

/** Returns whether values of a type are compared as numbers. */
export const isNumberType = (type: FieldType): boolean =>
  type === 'long' || type === 'double' || type === 'float'

/** Returns the text that gets a code. Keywords and texts ignore case. */
export function foldText(type: FieldType, text: string): string {
  return type === 'exact' ? text : text.toLowerCase()
}

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i

/** Returns the number that a text in a number field stands for. NaN if the text is not a number. */
export function numberOf(text: string): number {
  if (!NUMBER.test(text)) return Number.NaN
  const number = Number(text)
  return Number.isFinite(number) ? number + 0 : Number.NaN
}
