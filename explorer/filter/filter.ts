/** A filter in the form that the interface takes as `filters`. */
export type Filter =
  | { readonly op: 'and' | 'or'; readonly content: readonly Filter[] }
  | {
      readonly op: string
      readonly content: { readonly field: string; readonly value?: FilterValue }
    }

type FilterValue = string | number | readonly (string | number)[]

/** Condition on one field: some of its values, or a range of numbers or years. */
export type Condition =
  | { readonly field: string; readonly values: readonly string[] }
  | (Range & { readonly field: string })

/** A range with both ends inclusive. Either end may be missing. */
export interface Range {
  readonly from: number | undefined
  readonly to: number | undefined
}

/** Returns the range of a histogram's interval. Days, years and counts are integers. */
export const intervalRange = (start: number, width: number): Range => ({
  from: start,
  to: lastBefore(start + width),
})

/** Returns the last value before the next interval. */
const lastBefore = (end: number) => (Number.isInteger(end) ? end - 1 : Math.floor(end))

/** Returns whether a field is a date. Its ranges are in years. */
export const isDate = (field: string) => /_date(time)?$/.test(field)

/** A filter split into conditions on single fields and other parts. */
interface Conditions {
  readonly conditions: readonly Condition[]
  readonly others: readonly Filter[]
}

/** Splits a filter into conditions that cards can show. `filterOf` is the inverse. */
export function conditionsOf(filter: Filter | undefined): Conditions {
  if (filter === undefined) return { conditions: [], others: [] }
  const parts = isGroup(filter) && filter.op === 'and' ? filter.content : [filter]
  const byField = new Map<string, Condition>()
  const others: Filter[] = []
  for (const part of parts) {
    const condition = conditionOf(part)
    const known = condition && byField.get(condition.field)
    const joined = known && condition ? joinRanges(known, condition) : condition
    if (joined === undefined) others.push(part)
    else byField.set(joined.field, joined)
  }
  return { conditions: [...byField.values()], others }
}

/** Combines conditions into a filter. Returns undefined if there are no conditions. */
export function filterOf({ conditions, others }: Conditions): Filter | undefined {
  const parts = [...conditions.flatMap(partsOf), ...others]
  return parts.length > 1 ? { op: 'and', content: parts } : parts[0]
}

/** Returns the filter with the condition on a field replaced, or removed if undefined. */
export function withCondition(
  filter: Filter | undefined,
  field: string,
  condition: Condition | undefined,
): Filter | undefined {
  const { conditions, others } = conditionsOf(filter)
  const place = conditions.findIndex((one) => one.field === field)
  const changed = conditions.flatMap((one) =>
    one.field === field ? (condition ? [condition] : []) : [one],
  )
  return filterOf({
    conditions: place < 0 && condition ? [...changed, condition] : changed,
    others,
  })
}

/** Returns the filter without one of its parts that is not a condition on a single field. */
export function withoutOther(filter: Filter | undefined, other: Filter): Filter | undefined {
  const { conditions, others } = conditionsOf(filter)
  return filterOf({ conditions, others: others.filter((one) => one !== other) })
}

/** Returns the filter with a value added, or removed if it was selected. */
export function toggleValue(
  filter: Filter | undefined,
  field: string,
  value: string,
): Filter | undefined {
  const chosen = chosenValues(filter, field)
  const values = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]
  return withCondition(filter, field, values.length > 0 ? { field, values } : undefined)
}

/** Returns the selected values of a field. */
export function chosenValues(filter: Filter | undefined, field: string): readonly string[] {
  const condition = conditionsOf(filter).conditions.find((one) => one.field === field)
  return condition && 'values' in condition ? condition.values : []
}

/** Returns the selected range of a field. */
export function chosenRange(filter: Filter | undefined, field: string): Range | undefined {
  const condition = conditionsOf(filter).conditions.find((one) => one.field === field)
  return condition && 'from' in condition ? condition : undefined
}

/** Combines filters with AND. Returns undefined if there is none. */
export function bothOf(...filters: readonly (Filter | undefined)[]): Filter | undefined {
  const parts = filters.flatMap((filter) =>
    filter === undefined ? [] : isGroup(filter) && filter.op === 'and' ? filter.content : [filter],
  )
  return parts.length > 1 ? { op: 'and', content: parts } : parts[0]
}

/** Combines filters with OR. Undefined, which is all cases, if one of them is. */
export function eitherOf(filters: readonly (Filter | undefined)[]): Filter | undefined {
  const known = filters.filter((filter) => filter !== undefined)
  if (known.length < filters.length) return undefined
  return known.length > 1 ? { op: 'or', content: known } : known[0]
}

/**
 * Rewrites a filter so that its condition on a field also applies to the counts of that field. The service
 * ignores conditions that list values of the counted field, so that more values can be offered, but it applies
 * ranges. Exclusions stay unchanged.
 */
export function seenByOwnField(filter: Filter | undefined, field: string): Filter | undefined {
  if (filter === undefined) return undefined
  if (isGroup(filter)) {
    const content = filter.content.map((part) => seenByOwnField(part, field) ?? part)
    return { op: filter.op, content }
  }
  const { content, op } = filter
  const isOwn = content.field.replace(/^cases\./, '') === field.replace(/^cases\./, '')
  if (!isOwn || content.value === undefined || (op !== 'in' && op !== '=')) return filter
  const values = typeof content.value === 'object' ? content.value : [content.value]
  const ranges = values.map((value): Filter => {
    const end = { field: content.field, value }
    const ends = ['>=', '<='].map((side) => ({ op: side, content: end }))
    return { op: 'and', content: ends }
  })
  return ranges.length === 1 ? ranges[0] : { op: 'or', content: ranges }
}

/** Adds the dataset's name to fields, as searches in other datasets require. */
export function prefixed(filter: Filter | undefined, dataset: string): Filter | undefined {
  if (filter === undefined) return undefined
  if (isGroup(filter)) {
    return { op: filter.op, content: filter.content.map((part) => prefixed(part, dataset) ?? part) }
  }
  const { field } = filter.content
  const isOther = RELATED.some((name) => field.startsWith(`${name}.`))
  const full = isOther ? field : `${dataset}.${field}`
  return { op: filter.op, content: { ...filter.content, field: full } }
}

/** Dataset names that fields may start with. */
const RELATED = ['cases', 'files', 'genes', 'ssms', 'cnvs', 'ssm_occurrences', 'cnv_occurrences']

/**
 * Parses a filter.
 * @throws SyntaxError if the text is not a filter
 */
export function parseFilter(text: string): Filter {
  const value: unknown = JSON.parse(text)
  if (!isFilter(value)) throw new SyntaxError('neither a condition nor a group of them')
  return value
}

function isFilter(value: unknown): value is Filter {
  if (!isRecord(value) || typeof value.op !== 'string') return false
  const { op, content } = value
  if (op === 'and' || op === 'or') return Array.isArray(content) && content.every(isFilter)
  return isRecord(content) && typeof content.field === 'string'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isGroup(filter: Filter): filter is Extract<Filter, { content: readonly Filter[] }> {
  return Array.isArray(filter.content)
}

function conditionOf(part: Filter): Condition | undefined {
  if (isGroup(part)) return undefined
  const { field, value } = part.content
  if (part.op === 'in' || part.op === '=') {
    const values = Array.isArray(value) ? value : [value]
    return values.every((one) => typeof one === 'string') ? { field, values } : undefined
  }
  if (isDate(field)) return yearsOf(part.op, field, value)
  if (typeof value !== 'number') return undefined
  if (part.op === '>=') return { field, from: value, to: undefined }
  if (part.op === '<=') return { field, from: undefined, to: value }
  return undefined
}

/** Converts a comparison of dates to years. In text order, all dates of a year lie between that year and the next. */
function yearsOf(op: string, field: string, value: unknown): Condition | undefined {
  if (typeof value !== 'string' || !/^[1-9]\d{3}$/.test(value)) return undefined
  if (op === '>=') return { field, from: Number(value), to: undefined }
  if (op === '<') return { field, from: undefined, to: Number(value) - 1 }
  return undefined
}

/** Joins a range without upper end and one without lower end into one. Returns undefined for other pairs. */
function joinRanges(one: Condition, other: Condition): Condition | undefined {
  if ('values' in one || 'values' in other) return undefined
  if (one.to === undefined && other.from === undefined) return { ...one, to: other.to }
  if (one.from === undefined && other.to === undefined) return { ...one, from: other.from }
  return undefined
}

function partsOf(condition: Condition): Filter[] {
  const { field } = condition
  if ('values' in condition) return [{ op: 'in', content: { field, value: condition.values } }]
  const { from, to } = condition
  if (isDate(field)) {
    return [
      ...(from === undefined ? [] : [{ op: '>=', content: { field, value: String(from) } }]),
      ...(to === undefined ? [] : [{ op: '<', content: { field, value: String(to + 1) } }]),
    ]
  }
  return [
    ...(from === undefined ? [] : [{ op: '>=', content: { field, value: from } }]),
    ...(to === undefined ? [] : [{ op: '<=', content: { field, value: to } }]),
  ]
}
