/** What a drug is for; the same for products and procedures (registry.md 3). */
export const CATEGORIES = Object.freeze([
  'HORMONAL_THERAPY',
  'ANCILLARY',
  'CHEMOTHERAPY',
  'IMMUNOTHERAPY',
  'RADIOPHARMACEUTICAL',
] as const)

export type Category = (typeof CATEGORIES)[number]
