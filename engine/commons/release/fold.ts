import type { FieldType } from '../datasets/define.ts'

/** Types whose values are compared as numbers. */
export const isNumberType = (type: FieldType): boolean =>
  type === 'long' || type === 'double' || type === 'float'

/** The text that gets a code: keywords and texts do not distinguish upper from lower case. */
export function foldText(type: FieldType, text: string): string {
  return type === 'exact' ? text : text.toLowerCase()
}

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i

/** The number that a text in a number field stands for; NaN when it is none. */
export function numberOf(text: string): number {
  if (!NUMBER.test(text)) return Number.NaN
  const number = Number(text)
  return Number.isFinite(number) ? number + 0 : Number.NaN
}
