/** First and last group of each major category of childhood cancers (registry-lookups.md 1.3). */
const CATEGORIES: readonly (readonly [first: number, last: number, category: string])[] =
  Object.freeze([
    [11, 15, '01'],
    [21, 25, '02'],
    [31, 36, '03'],
    [41, 42, '04'],
    [50, 50, '05'],
    [61, 63, '06'],
    [71, 73, '07'],
    [81, 85, '08'],
    [91, 95, '09'],
    [101, 105, '10'],
    [112, 112, '11'],
    [114, 114, '12'],
    [115, 115, '13'],
    [111, 111, '14'],
    [113, 113, '14'],
    [116, 116, '14'],
    [121, 122, '15'],
  ])

const NO_CATEGORY = '99'

/** Returns the major category of a childhood cancer group. */
export function majorCategory(group: string): string {
  const number = Number(group)
  const found = CATEGORIES.find(([first, last]) => first <= number && number <= last)
  return found?.[2] ?? NO_CATEGORY
}
