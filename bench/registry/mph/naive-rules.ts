import type { NaiveData, RowTable } from './naive-data.ts'
import { daysApart, type NaiveTumour, orderOf, yearsApart } from './naive-tumour.ts'

// The reusable rules of multiple-primaries.md 4.2.

/** Single, multiple, questionable; with ~ what it would be if what is missing were favourable. */
export type Answer = 'S' | 'M' | '?' | '~S' | '~M' | undefined
export type NaiveRule = (a: NaiveTumour, b: NaiveTumour) => Answer
export type Codes = ReadonlySet<string>

export const isIn = ({ histology, code }: NaiveTumour, codes: Codes) =>
  codes.has(histology) || codes.has(code)
export const bothIn = (a: NaiveTumour, b: NaiveTumour, codes: Codes) =>
  isIn(a, codes) && isIn(b, codes)
export const cross = (a: NaiveTumour, b: NaiveTumour, one: Codes, other: Codes) =>
  (isIn(a, one) && isIn(b, other)) || (isIn(b, one) && isIn(a, other))
export const codes = (...all: readonly string[]): Codes => new Set(all)
/** Both have one of these codes; a cross of two sets. The sets are made once. */
export const ofBoth = (set: Codes) => (a: NaiveTumour, b: NaiveTumour) => bothIn(a, b, set)
export const ofCross = (one: Codes, other: Codes) => (a: NaiveTumour, b: NaiveTumour) =>
  cross(a, b, one, other)
export const and =
  (...all: readonly ((a: NaiveTumour, b: NaiveTumour) => boolean)[]) =>
  (a: NaiveTumour, b: NaiveTumour) =>
    all.every((condition) => condition(a, b))
export const invasive = (histology: string) =>
  and((a, b) => behave(a, b, '3'), ofBoth(codes(histology)))
export const atBoth = (places: string) => (a: NaiveTumour, b: NaiveTumour) => bothAt(a, b, places)

/** Whether a site is in `C079, C080-C081`. */
export function isAt(site: string, places: string): boolean {
  if (places.length <= site.length) return site.startsWith(places)
  return places.split(',').some((place) => {
    const [low = '', high = low] = place.trim().split('-')
    return site.slice(0, low.length) >= low && site.slice(0, high.length) <= high
  })
}
export const bothAt = (a: NaiveTumour, b: NaiveTumour, places: string) =>
  isAt(a.site, places) && isAt(b.site, places)
export const crossAt = (a: NaiveTumour, b: NaiveTumour, one: string, other: string) =>
  (isAt(a.site, one) && isAt(b.site, other)) || (isAt(b.site, one) && isAt(a.site, other))

export const sidesIn = (a: NaiveTumour, b: NaiveTumour, sides: string) =>
  [a, b].every(({ side }) => side.length === 1 && sides.includes(side))
export const areSided = (a: NaiveTumour, b: NaiveTumour) => sidesIn(a, b, '12')
export const areOpposite = (a: NaiveTumour, b: NaiveTumour) => areSided(a, b) && a.side !== b.side
export const behave = (a: NaiveTumour, b: NaiveTumour, behavior: string) =>
  a.behavior === behavior && b.behavior === behavior
const isInSituAndInvasive = (a: NaiveTumour, b: NaiveTumour) =>
  [a.behavior, b.behavior].sort().join() === '2,3'
/** The one that was diagnosed later, if that can be told. */
export const laterOf = (a: NaiveTumour, b: NaiveTumour) =>
  ({ first: a, second: b, EQUAL: undefined, UNKNOWN: undefined })[orderOf(a, b)]
export const isSameHistology = (a: NaiveTumour, b: NaiveTumour) =>
  a.code === b.code && !/^80[01]0/.test(a.code)

export const site3: NaiveRule = (a, b) => (a.part !== b.part ? 'M' : undefined)
export const site4: NaiveRule = (a, b) => (a.site !== b.site ? 'M' : undefined)
export const stem: NaiveRule = (a, b) =>
  a.histology.slice(0, 3) !== b.histology.slice(0, 3) ? 'M' : undefined
export const single: NaiveRule = () => 'S'
export const years =
  (count: number): NaiveRule =>
  (a, b) =>
    ({ UNKNOWN: '~M', APART: 'M', WITHIN: undefined })[yearsApart(a, b, count)] as Answer
export const withinDays =
  (days: number): NaiveRule =>
  (a, b) =>
    ({ UNKNOWN: '~S', WITHIN: 'S', APART: undefined })[daysApart(a, b, days)] as Answer
export const when =
  (condition: (a: NaiveTumour, b: NaiveTumour) => boolean, rule: NaiveRule): NaiveRule =>
  (a, b) =>
    condition(a, b) ? rule(a, b) : undefined
export const multiple: NaiveRule = () => 'M'

export const laterality: NaiveRule = (a, b) => {
  if (!areSided(a, b)) return '~M'
  return a.side !== b.side ? 'M' : undefined
}
export const paired = (entries: readonly string[]) =>
  when((a, b) => entries.some((entry) => bothAt(a, b, entry)), laterality)

export const invasiveAfter60: NaiveRule = (a, b) => {
  if (!isInSituAndInvasive(a, b)) return undefined
  const later = laterOf(a, b)
  if (orderOf(a, b) === 'EQUAL' || (later && later.behavior !== '3')) return undefined
  return ({ UNKNOWN: '~M', APART: 'M', WITHIN: undefined } as const)[daysApart(a, b, 60)]
}
export const invasiveWithin60: NaiveRule = (a, b) => {
  if (!isInSituAndInvasive(a, b)) return undefined
  const later = laterOf(a, b)
  if (later && later.behavior !== '3') return undefined
  return withinDays(60)(a, b)
}
export const invasiveWithin60Sided: NaiveRule = (a, b) => {
  if (areOpposite(a, b)) return undefined
  const answer = invasiveWithin60(a, b)
  return answer !== undefined && !areSided(a, b) ? '~S' : answer
}
export const inSituAfter: NaiveRule = (a, b) => {
  if (!isInSituAndInvasive(a, b)) return undefined
  if (orderOf(a, b) === 'UNKNOWN') return '~S'
  return laterOf(a, b)?.behavior === '2' ? 'S' : undefined
}
export const inSituAfterSided: NaiveRule = (a, b) => {
  if (!isInSituAndInvasive(a, b) || areOpposite(a, b)) return undefined
  if (laterOf(a, b)?.behavior === '3') return undefined
  return areSided(a, b) ? inSituAfter(a, b) : '~S'
}

export type RowOf = (tumour: NaiveTumour) => string | undefined
export const rowIn =
  (table: RowTable): RowOf =>
  ({ histology, code }) =>
    table[histology] ?? table[code]

export const rowsDiffer =
  (rowOf: RowOf): NaiveRule =>
  (a, b) => {
    if (isSameHistology(a, b)) return undefined
    const [one, other] = [rowOf(a), rowOf(b)]
    if (one === undefined || other === undefined) return '?'
    return one !== other ? 'M' : undefined
  }
/** Of one histology or one row; what they are then is up to the rule. */
export const sameRow =
  (rowOf: RowOf, rule: NaiveRule): NaiveRule =>
  (a, b) => {
    if (isSameHistology(a, b)) return rule(a, b)
    const [one, other] = [rowOf(a), rowOf(b)]
    if (one === undefined || other === undefined) return '?'
    return one === other ? rule(a, b) : undefined
  }
/** As sameRow, but a row that is absent says nothing. */
export const sameKnownRow = (rowOf: RowOf, rule: NaiveRule): NaiveRule =>
  when((a, b) => {
    const row = rowOf(a)
    return isSameHistology(a, b) || (row !== undefined && row === rowOf(b))
  }, rule)

export const contain = (one: string, other: string) => one.includes(other) || other.includes(one)
export const areDistinct = (one: string | undefined, other: string | undefined) =>
  one !== undefined && other !== undefined && !contain(one, other)
export const subtypesApart = (rowOf: RowOf) =>
  when((a, b) => areDistinct(rowOf(a), rowOf(b)), multiple)
export const subtypesDiffer = (rowOf: RowOf) =>
  when((a, b) => {
    const [one, other] = [rowOf(a), rowOf(b)]
    return one !== undefined && other !== undefined && one !== other
  }, multiple)

export function specific(data: NaiveData, ...histologies: readonly string[]): NaiveRule {
  const table = data.lists('nos_vs_specific')
  const isOf = (general: NaiveTumour, other: NaiveTumour) =>
    histologies.includes(general.histology) &&
    (table[general.histology] ?? []).some((range) => isAt(other.histology, range))
  return when((a, b) => isOf(a, b) || isOf(b, a), single)
}

/** The later has the one code, the earlier the other. */
export const follows = (later: string, earlier: string): NaiveRule =>
  when(ofCross(codes(later), codes(earlier)), (a, b) => {
    if (orderOf(a, b) === 'UNKNOWN') return '~S'
    return laterOf(a, b)?.code === later ? 'S' : undefined
  })
