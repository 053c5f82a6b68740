import type { SearchAnswer } from '../cohort/count.ts'
import { DAYS_PER_YEAR, fieldName, inYears, shownNumber } from '../cohort/words.ts'
import { inLetters, keysOf, lettersOf } from '../facets/letters.ts'
import { inScaleOrder } from '../facets/value-order.ts'
import { bothOf, type Filter, seenByOwnField } from '../filter/filter.ts'
import { counted } from '../parts/counted.ts'
import { type Made, NoGroupsError, type Source } from './made.ts'
import { quantileCuts } from './quantiles.ts'
import { MAX_GROUPS, type Split } from './split.ts'

type By<Kind extends Split['by']> = Extract<Split, { readonly by: Kind }>

/** Maximum number of values whose names are shown in their own letters. */
const MAX_SPELLED = 200
/** Maximum number of hits per search. */
const PAGE = 10_000

/**
 * Makes a group of each value of a field, in the order of its scale.
 * @throws NoGroupsError if the field holds numbers, or no case has a value
 * @throws ServiceError
 */
export async function groupsByValue(
  { field, values, rest = false }: By<'values'>,
  { asked, active }: Source,
): Promise<Made> {
  const { data } = await asked.ask<SearchAnswer>({
    path: '/cases',
    query: { size: 0, facets: field },
    filters: seenByOwnField(active.filter, field),
  })
  const aggregation = Object.values(data.aggregations ?? {})[0]
  if (aggregation?.stats) {
    throw new NoGroupsError(
      `${fieldName(field)} holds numbers. Choose ranges or quantiles of it instead of values.`,
    )
  }
  const buckets = (aggregation?.buckets ?? []).filter(({ key }) => key !== '_missing')
  if (buckets.length === 0) throw new NoGroupsError(`No case has a value of ${field}.`)
  const most = rest ? MAX_GROUPS - 1 : MAX_GROUPS
  const isNamed = (key: string) =>
    values?.some((value) => value.toLowerCase() === key.toLowerCase()) ?? true
  // Buckets come by count, so that the largest groups are drawn if there are too many.
  const drawn = new Set(
    buckets
      .filter(({ key }) => isNamed(key))
      .slice(0, most)
      .map(({ key }) => key),
  )
  if (drawn.size === 0 && !rest) {
    throw new NoGroupsError(
      values?.length
        ? `No case has a ${fieldName(field).toLowerCase()} of ${values.join(' or ')}. Check other values.`
        : 'Check at least one value.',
    )
  }
  const spelled = { field, keys: keysOf(buckets).slice(0, MAX_SPELLED) }
  const letters = await lettersOf(asked.service, 'cases', [spelled], asked.signal)
  const nameOf = (key: string) => inLetters(letters, field, key)
  const ofValues = (keys: readonly string[]) =>
    bothOf(active.filter, { op: 'in', content: { field, value: keys } })
  const ordered = inScaleOrder(buckets, ({ key }) => key)
  const others = ordered.filter(({ key }) => !drawn.has(key))
  const groups = ordered
    .filter(({ key }) => drawn.has(key))
    .map(({ key }) => ({ name: nameOf(key), filter: ofValues([key]) }))
  const joined = rest && others.length > 0
  // A chosen value that no case of the cohort has is told, too.
  const absent = (values ?? []).filter((value) =>
    buckets.every(({ key }) => key.toLowerCase() !== value.toLowerCase()),
  )
  const unseen = absent.map((value) => ({ name: value, cases: 0 }))
  return {
    groups: joined
      ? [...groups, { name: 'Other values', filter: ofValues(others.map(({ key }) => key)) }]
      : groups,
    leftOut: [
      ...(joined
        ? []
        : others.map(({ key, doc_count }) => ({ name: nameOf(key), cases: doc_count }))),
      ...unseen,
    ],
  }
}

/**
 * Makes a group of each range between cuts, which are in years for ages.
 * @throws NoGroupsError without cuts
 */
export function groupsByRange({ field, cuts }: By<'ranges'>, { active }: Source): Made {
  if (cuts.length === 0) {
    throw new NoGroupsError('Type the cuts between the ranges, such as 40, 60.')
  }
  const unit = inYears(field) ? DAYS_PER_YEAR : 1
  const groups = rangesOf(cuts).map(([from, to]) => ({
    name: `${rangeName(from, to, (cut) => cut.toLocaleString('en'), RANGE_WORDS)}${yearsOf(field)}`,
    filter: bothOf(
      active.filter,
      ...endOf(field, '>=', from && from * unit),
      ...endOf(field, '<', to && to * unit),
    ),
  }))
  return {
    groups,
    method: `${fieldName(field)}: a cut belongs to the range above it.`,
  }
}

/**
 * Makes groups of about equal size from the values of a number. A case counts by its first record that has a
 * value.
 * @throws NoGroupsError if no case has a value
 * @throws ServiceError
 */
export async function groupsByQuantile(
  { field, parts }: By<'quantiles'>,
  { asked, active }: Source,
): Promise<Made> {
  const values: number[] = []
  for (let from = 0; ; from += PAGE) {
    const { data } = await asked.ask<SearchAnswer>({
      path: '/cases',
      query: { fields: field, size: PAGE, from },
      filters: bothOf(active.filter, { op: 'not', content: { field, value: 'MISSING' } }),
    })
    for (const hit of data.hits) {
      const [first] = numbersAt(hit, field.split('.'))
      if (first !== undefined) values.push(first)
    }
    if (from + PAGE >= data.pagination.total) break
  }
  const cuts = quantileCuts(values, parts)
  if (cuts.length === 0) throw new NoGroupsError(`No case has a number in ${field}.`)
  const groups = rangesOf(cuts).map(([from, to]) => ({
    name: `${rangeName(from, to, (cut) => shownNumber(field, cut), QUANTILE_WORDS)}${yearsOf(field)}`,
    filter: bothOf(active.filter, ...endOf(field, '>', from), ...endOf(field, '<=', to)),
  }))
  return {
    groups,
    method: `${fieldName(field)}: cuts are quantiles (R's type 7) over ${counted(values.length, 'case')} with a value, and belong to the range below them.`,
  }
}

const RANGE_WORDS = { word: 'below', above: 'from' }
const QUANTILE_WORDS = { word: 'to', above: 'above' }

const yearsOf = (field: string) => (inYears(field) ? ' years' : '')

/** Returns the ranges between cuts. The first has no start, and the last no end. */
export const rangesOf = (
  cuts: readonly number[],
): readonly (readonly [number | undefined, number | undefined])[] =>
  Array.from({ length: cuts.length + 1 }, (_, index) => [cuts[index - 1], cuts[index]] as const)

/** Names a range: `below 40`, `from 40 to below 60`, `from 60`. */
export function rangeName(
  from: number | undefined,
  to: number | undefined,
  shown: (cut: number) => string,
  { word, above }: { readonly word: string; readonly above: string },
): string {
  const end = to === undefined ? '' : `${word} ${shown(to)}`
  if (from === undefined) return end
  const start = `${above} ${shown(from)}`
  return end === '' ? start : `${start} ${word === 'to' ? end : `to ${end}`}`
}

const endOf = (field: string, op: string, value: number | undefined): readonly Filter[] =>
  value === undefined ? [] : [{ op, content: { field, value } }]

function numbersAt(record: unknown, path: readonly string[]): readonly number[] {
  if (Array.isArray(record)) return record.flatMap((one) => numbersAt(one, path))
  const [name, ...rest] = path
  if (name === undefined) return typeof record === 'number' ? [record] : []
  if (typeof record !== 'object' || record === null) return []
  return numbersAt(Reflect.get(record, name), rest)
}
