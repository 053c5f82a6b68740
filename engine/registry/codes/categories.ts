import { type Reader, readList, readOneOf } from '../../shared/input/json-members.ts'

/** What a drug is for; the same for products and procedures (registry.md 3). */
export const CATEGORIES = Object.freeze([
  'HORMONAL_THERAPY',
  'ANCILLARY',
  'CHEMOTHERAPY',
  'IMMUNOTHERAPY',
  'RADIOPHARMACEUTICAL',
] as const)

export type Category = (typeof CATEGORIES)[number]

const readAll = readList(readOneOf(CATEGORIES))

/** A set of categories out of a body. */
export const readCategories: Reader<readonly Category[]> = (value, at) => [
  ...new Set(readAll(value, at)),
]
