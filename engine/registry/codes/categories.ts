import { type Reader, readList, readOneOf } from '../../shared/input/json-members.ts'

/** Treatment categories shared by drugs, drug products and procedures (registry.md 3). */
export const CATEGORIES = Object.freeze([
  'HORMONAL_THERAPY',
  'ANCILLARY',
  'CHEMOTHERAPY',
  'IMMUNOTHERAPY',
  'RADIOPHARMACEUTICAL',
] as const)

export type Category = (typeof CATEGORIES)[number]

const readAll = readList(readOneOf(CATEGORIES))

/** Reads the categories of a request body and drops duplicates. */
export const readCategories: Reader<readonly Category[]> = (value, at) => [
  ...new Set(readAll(value, at)),
]
