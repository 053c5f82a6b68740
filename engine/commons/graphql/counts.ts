import type { Job } from '../../shared/executor.ts'
import { type PickedMember, picked, Room, weightOf } from './picks.ts'

/** How to render the counts of one field. */
export interface CountPlan {
  /** Name in the response. */
  readonly as: string
  readonly parts: readonly CountPart[]
}

/** A part of a count. `facet` is the name of the facet in the search result. */
export type CountPart =
  | { readonly kind: 'text'; readonly as: string; readonly text: string }
  | {
      readonly kind: 'buckets'
      readonly as: string
      readonly facet: string
      readonly isBoolean: boolean
      readonly picks: readonly PickedMember[]
    }
  | {
      readonly kind: 'stats' | 'percentiles' | 'histogram'
      readonly as: string
      readonly facet: string
      readonly picks: readonly PickedMember[]
    }
  | {
      readonly kind: 'range'
      readonly as: string
      readonly facet: string
      readonly keys: readonly string[]
      readonly picks: readonly PickedMember[]
    }

/** Counts that are rendered together: an object of fields, or the text of all facets. */
export type CountsPlan =
  | { readonly kind: 'aggregations'; readonly members: readonly (CountPlan | Constant)[] }
  | { readonly kind: 'facets'; readonly names: readonly (readonly [name: string, facet: string])[] }

export interface Constant {
  readonly as: string
  readonly text: string
}

interface CountsInput {
  /** JSON of all counts, by facet. */
  readonly aggregations: Uint8Array
  readonly plans: readonly CountsPlan[]
  /** Maximum length of the output. */
  readonly characters: number
}

/** Estimates the output per counted value: 1 for a name and a count, more if a document uses many aliases. */
export function widthOfCounts(plan: CountsPlan): number {
  if (plan.kind === 'facets') return 1
  const weights = plan.members.flatMap((member) =>
    'text' in member
      ? []
      : member.parts.map((part) => ('picks' in part ? weightOf(part.picks) : 0)),
  )
  return weights.reduce((most, weight) => Math.max(most, weight / USUAL_WEIGHT), 1)
}

const USUAL_WEIGHT = 4

/** Renders each plan as JSON bytes. Used for large numbers of counts. */
export const countsJob: Job<CountsInput, readonly Uint8Array<ArrayBuffer>[]> = {
  name: 'search-graph.counts',
  run: (input) => showCounts(input).map((text) => new TextEncoder().encode(text)),
  transfer: (shown) => shown.map(({ buffer }) => buffer),
}

interface Bucket {
  readonly doc_count: number
  readonly key: string
}

interface Summary {
  readonly count: number
  readonly avg: number | null
  readonly sum: number | null
  readonly sum_of_squares: number | null
  readonly std_deviation: number | null
  readonly median: number | null
  readonly quartile_1: number | null
  readonly quartile_3: number | null
}

interface Counted {
  readonly buckets?: readonly Bucket[]
  readonly stats?: object
  readonly summary?: Summary
  readonly histogram?: { readonly buckets: readonly Bucket[] }
  readonly ranges?: readonly number[]
}

/**
 * Renders each plan as JSON.
 * @throws EngineError too_many if the JSON is longer than `characters`
 */
export function showCounts({ aggregations, plans, characters }: CountsInput): readonly string[] {
  const text = Buffer.from(
    aggregations.buffer as ArrayBuffer,
    aggregations.byteOffset,
    aggregations.length,
  )
  const counted = JSON.parse(text.toString()) as Readonly<Record<string, Counted>>
  const room = new Room(characters)
  return plans.map((plan) => {
    if (plan.kind === 'facets') {
      // The facet may include counts for other parts of the document.
      const all = plan.names.map(([name, facet]) => {
        const { buckets, stats } = counted[facet] ?? {}
        return [name, { buckets, stats }]
      })
      return JSON.stringify(JSON.stringify(Object.fromEntries(all)))
    }
    const members = plan.members.map((member) => {
      const shown = 'text' in member ? member.text : shownField(member, counted, room)
      return `${JSON.stringify(member.as)}:${shown}`
    })
    return `{${members.join(',')}}`
  })
}

function shownField(
  { parts }: CountPlan,
  counted: Readonly<Record<string, Counted>>,
  room: Room,
): string {
  const members = parts.map((part) => {
    const shown =
      part.kind === 'text' ? part.text : shownPart(part, counted[part.facet] ?? {}, room)
    return `${JSON.stringify(part.as)}:${shown}`
  })
  return `{${members.join(',')}}`
}

function shownPart(
  part: Exclude<CountPart, { kind: 'text' }>,
  counted: Counted,
  room: Room,
): string {
  switch (part.kind) {
    case 'buckets':
      return picked(bucketsOf(counted.buckets ?? [], part.isBoolean), part.picks, room)
    case 'stats':
      return picked(statsOf(counted.summary), part.picks, room)
    case 'percentiles':
      return picked(percentilesOf(counted.summary), part.picks, room)
    case 'histogram':
      return picked({ buckets: histogramOf(counted.histogram?.buckets ?? []) }, part.picks, room)
    case 'range': {
      const { ranges = [] } = counted
      const buckets = part.keys.map((key, i) => ({
        doc_count: ranges[i] ?? 0,
        key,
        key_as_string: key,
      }))
      return picked({ buckets }, part.picks, room)
    }
  }
}

const BOOLEANS: Readonly<Record<string, string>> = { true: '1', false: '0' }

/** For booleans, adds a bucket for `1` if there are other buckets, because portals read it (portal.md 4.3). */
function bucketsOf(buckets: readonly Bucket[], isBoolean: boolean) {
  if (!isBoolean) return buckets.map((bucket) => ({ ...bucket, key_as_string: bucket.key }))
  const shown = buckets.map(({ doc_count, key }) => ({
    doc_count,
    key: BOOLEANS[key] ?? key,
    key_as_string: key,
  }))
  if (shown.length === 0) return shown
  const absent = ['true', 'false'].filter((key) => buckets.every((bucket) => bucket.key !== key))
  return [
    ...shown,
    ...absent.map((key) => ({ doc_count: 0, key: BOOLEANS[key], key_as_string: key })),
  ]
}

/** Number of standard deviations of the bounds, the default of the public service's search engine. */
const SIGMAS = 2

/** If no record has a value, sums are null, like the other statistics (portal.md 4.4). */
const NO_SUMS = Object.freeze({ sum: null, sum_of_squares: null })

function statsOf(summary: Summary | undefined) {
  if (!summary) return undefined
  const { avg, std_deviation: deviation } = summary
  const isKnown = avg !== null && deviation !== null
  const bounds = {
    upper: isKnown ? avg + SIGMAS * deviation : null,
    lower: isKnown ? avg - SIGMAS * deviation : null,
  }
  const { sum, sum_of_squares: squares } = summary
  const sums = summary.count > 0 ? { sum, sum_of_squares: squares } : NO_SUMS
  return { ...summary, ...sums, std_deviation_bounds: bounds }
}

function percentilesOf(summary: Summary | undefined) {
  if (!summary) return undefined
  const { quartile_1: lower, quartile_3: upper } = summary
  return { ...summary, iqr: lower === null || upper === null ? null : upper - lower }
}

/** Formats keys as portals expect them: numbers with a decimal point, such as `0.0` and `3652.5` (portal.md 4.4). */
const histogramOf = (buckets: readonly Bucket[]) =>
  buckets
    .filter(({ key }) => key !== '_missing')
    .map(({ doc_count, key }) => ({
      doc_count,
      key: withDecimal(Number(key)),
      key_as_string: withDecimal(Number(key)),
    }))

/** @example withDecimal(3653) // '3653.0' */
export const withDecimal = (number: number): string =>
  Number.isInteger(number) ? `${number}.0` : String(number)
