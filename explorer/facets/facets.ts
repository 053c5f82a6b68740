import { useRef } from 'preact/hooks'
import type { Aggregation, SearchAnswer } from '../cohort/count.ts'
import { DAYS_PER_YEAR, inYears } from '../cohort/words.ts'
import { bothOf, conditionsOf, type Filter, isDate, withCondition } from '../filter/filter.ts'
import type { ServiceRequest } from '../service/service.ts'
import { useAnswer, useAnswers } from '../service/use-answer.ts'

/** How a field is counted: by value, by intervals of numbers, or by years of dates. */
type Kind = 'values' | 'numbers' | 'dates'

/** Data of a card. */
export interface Facet {
  readonly kind: Kind
  /** Length of an interval. Only for numbers. */
  readonly interval: number | undefined
  /** Counts. Undefined if they are not loaded, or if no record has a number in the field. */
  readonly data: Aggregation | undefined
  readonly isLoading: boolean
}

interface Mapping {
  readonly _mapping: Readonly<Record<string, { readonly type: string }>>
}

/** Selects what is counted. */
interface Counted {
  /** Dataset, such as `cases`. */
  readonly dataset: string
  readonly fields: readonly string[]
  /** Filter that the cards can change. */
  readonly filter: Filter | undefined
  /** Additional filter that the cards do not change. */
  readonly within?: Filter | undefined
}

/** Creates the request for the fields of a dataset, which are fixed within a release. */
export const mappingRequest = (dataset: string): ServiceRequest => ({
  path: `/${dataset}/_mapping`,
})

/** Interval for ages, five years. Other numbers get about twenty intervals. */
const AGE_INTERVAL = 5 * DAYS_PER_YEAR
const INTERVALS = 20

/**
 * Counts the values of fields with as few requests as possible. For a field with a condition, only the
 * conditions on other fields apply, so that the user can select more values.
 */
export function useFacets({ dataset, fields, filter, within }: Counted): {
  of(field: string): Facet
  /** Error of all cards. */
  readonly error: Error | undefined
} {
  const mapping = useAnswer<Mapping>(mappingRequest(dataset))
  const typeOf = (field: string) => mapping.data?._mapping[`${dataset}.${field}`]?.type
  const kinds = new Map(fields.map((field) => [field, fieldKind(field, typeOf(field))]))
  const numbers = fields.filter((field) => kinds.get(field) === 'numbers' && !inYears(field))
  const ranges = useAnswer<SearchAnswer>(
    mapping.data && numbers.length > 0
      ? { path: `/${dataset}`, query: { size: 0, facets: numbers.join(',') } }
      : undefined,
  )
  const intervals = new Map(
    fields.map((field) => [
      field,
      kinds.get(field) !== 'numbers'
        ? undefined
        : inYears(field)
          ? AGE_INTERVAL
          : intervalOf(ranges.data?.data.aggregations?.[field]?.stats),
    ]),
  )
  const isReady = mapping.data !== undefined && (numbers.length === 0 || ranges.data !== undefined)
  const held = conditionsOf(filter).conditions.map(({ field }) => field)
  const free = fields.filter((field) => !held.includes(field))
  const shown = fields.filter((field) => held.includes(field))
  const requestOf = (asked: readonly string[], filters: Filter | undefined): ServiceRequest => {
    const facets = asked.filter((field) => kinds.get(field) === 'values')
    const histograms = asked.flatMap((field) => {
      const kind = kinds.get(field)
      if (kind === 'dates') return [`${field}:year`]
      const interval = intervals.get(field)
      return kind === 'numbers' && interval !== undefined ? [`${field}:${interval}`] : []
    })
    return {
      path: `/${dataset}`,
      query: {
        size: 0,
        ...(facets.length > 0 && { facets: facets.join(',') }),
        ...(histograms.length > 0 && { histograms: histograms.join(',') }),
      },
      filters: bothOf(within, filters),
    }
  }
  const answers = useAnswers<SearchAnswer>(
    isReady
      ? [
          requestOf(free, filter),
          ...shown.map((field) => requestOf([field], withCondition(filter, field, undefined))),
        ]
      : undefined,
  )
  const latest = useRef<ReadonlyMap<string, Aggregation>>(new Map())
  const error = mapping.error ?? ranges.error ?? answers.error
  const isLoading = !error && (answers.isLoading || !isReady)
  const data = new Map(
    fields.flatMap((field): [string, Aggregation][] => {
      const found = answers.data?.[shown.indexOf(field) + 1]?.data.aggregations
      // The service returns names in lower case, with one exception.
      const own = found?.[field] ?? found?.[field.toLowerCase()]
      // Until there are others, the values of a card stay, and with them the focus.
      const kept = own ?? (isLoading || error ? latest.current.get(field) : undefined)
      return kept ? [[field, kept]] : []
    }),
  )
  latest.current = data
  return {
    of: (field) => ({
      kind: kinds.get(field) ?? 'values',
      interval: intervals.get(field),
      data: data.get(field),
      isLoading,
    }),
    error,
  }
}

/** Returns how a field of a type in `_mapping` is counted. */
export function fieldKind(field: string, type: string | undefined): Kind {
  if (isDate(field)) return 'dates'
  return type === 'long' || type === 'double' ? 'numbers' : 'values'
}

/** Returns a round interval length, so that about twenty intervals cover the values. */
function intervalOf(stats: Aggregation['stats']): number | undefined {
  if (!stats || stats.min === null || stats.max === null) return undefined
  const least = (stats.max - stats.min) / INTERVALS
  if (least <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10
  return step * power
}
