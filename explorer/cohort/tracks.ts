import { bothOf, type Filter } from '../filter/filter.ts'
import type { ServiceRequest } from '../service/service.ts'
import { DAYS_PER_YEAR, fieldName } from './words.ts'

/** A property of cases, shown above the grid. */
export interface Track {
  readonly field: string
  readonly title: string
  /** Display values by case, undefined if unknown. */
  readonly values: readonly (string | undefined)[]
  /** Sort key for each case. Unknown values come last. */
  readonly ranks: readonly number[]
  /** Colour for each case. */
  readonly colors: readonly (string | undefined)[]
  readonly legend: readonly { readonly name: string; readonly color: string }[]
}

export type CaseHit = Readonly<Record<string, unknown>> & { readonly id: string }

const TRACK_FIELDS = [
  'primary_site',
  'demographic.gender',
  'diagnoses.age_at_diagnosis',
  'diagnoses.ajcc_pathologic_stage',
  'demographic.vital_status',
] as const

const AGE = 'diagnoses.age_at_diagnosis'
const STAGE = 'diagnoses.ajcc_pathologic_stage'

/** Colours for colour-blind people (https://jfly.uni-koeln.de/color/), on light and dark backgrounds. */
const COLORS = [
  '#0072b2',
  '#e69f00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#d55e00',
  '#8c7ad1',
  '#a59a1d',
]
const OTHERS = '#8b93a0'
/** Age groups, from young to old. */
const AGES: readonly [from: number, to: number, color: string][] = [
  [0, 40, '#c6dbef'],
  [40, 55, '#6baed6'],
  [55, 70, '#2f7fbd'],
  [70, Number.POSITIVE_INFINITY, '#174a85'],
]

/** Maximum number of hits per search. */
const MAX_HITS = 10_000

/** Creates the request for the tracks, of the whole cohort if one response can hold it, else of the shown cases. */
export function trackRequest(
  filter: Filter | undefined,
  { total, cases }: { readonly total: number; readonly cases: readonly string[] },
): ServiceRequest {
  const fields = ['submitter_id', ...TRACK_FIELDS].join(',')
  if (total <= MAX_HITS) return { path: '/cases', query: { fields, size: total }, filters: filter }
  const own: Filter = { op: 'in', content: { field: 'case_id', value: cases } }
  return { path: '/cases', query: { fields, size: cases.length }, filters: bothOf(filter, own) }
}

/** Returns the tracks in the order of the cases. */
export function tracksOf(
  cases: readonly string[],
  hits: ReadonlyMap<string, CaseHit>,
): readonly Track[] {
  return TRACK_FIELDS.map((field) => {
    const found = cases.map((id) => valueAt(hits.get(id), field.split('.')))
    if (field === AGE) return ageTrack(found)
    return field === STAGE ? stageTrack(found) : wordTrack(field, found)
  }).filter(({ legend }) => legend.length > 0)
}

function ageTrack(found: readonly unknown[]): Track {
  const years = found.map((days) => (typeof days === 'number' ? days / DAYS_PER_YEAR : undefined))
  const groupOf = (age: number) => AGES.find(([from, to]) => age >= from && age < to)
  return {
    field: AGE,
    title: fieldName(AGE),
    values: years.map((age) => (age === undefined ? undefined : `${Math.floor(age)} years`)),
    ranks: years.map((age) => age ?? Number.POSITIVE_INFINITY),
    colors: years.map((age) => (age === undefined ? undefined : groupOf(age)?.[2])),
    legend: AGES.filter((group) =>
      years.some((age) => age !== undefined && groupOf(age) === group),
    ).map(([from, to, color]) => ({
      name:
        to === Number.POSITIVE_INFINITY
          ? `from ${from}`
          : from === 0
            ? `to ${to}`
            : `${from} to ${to}`,
      color,
    })),
  }
}

const STAGES: readonly [name: string, color: string][] = [
  ['Stage 0', '#dadaeb'],
  ['Stage I', '#bcbddc'],
  ['Stage II', '#9490c4'],
  ['Stage III', '#6f5aac'],
  ['Stage IV', '#47208a'],
]

/** Creates the track of stages without their letters, from light to dark. */
function stageTrack(found: readonly unknown[]): Track {
  const values = found.map((value) => {
    const [name] = /^stage (iv|i{1,3}|0)/i.exec(typeof value === 'string' ? value : '') ?? []
    return name && `Stage ${name.slice(6).toUpperCase()}`
  })
  const places = values.map((value) => STAGES.findIndex(([name]) => name === value))
  return {
    field: STAGE,
    title: fieldName(STAGE),
    values,
    ranks: places.map((place) => (place < 0 ? Number.POSITIVE_INFINITY : place)),
    colors: places.map((place) => STAGES[place]?.[1]),
    legend: STAGES.filter((_, place) => places.includes(place)).map(([name, color]) => ({
      name,
      color,
    })),
  }
}

/** Creates a track for a text field. The most frequent values have colours of their own. */
function wordTrack(field: string, found: readonly unknown[]): Track {
  const values = found.map((value) =>
    typeof value === 'string' && !/^(not reported|unknown)$/i.test(value) ? value : undefined,
  )
  const counts = new Map<string, number>()
  for (const value of values) {
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const named = [...counts]
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, COLORS.length)
    .map(([value]) => value)
  const hasOthers = counts.size > named.length
  const rankOf = (value: string) => {
    const place = named.indexOf(value)
    return place < 0 ? named.length : place
  }
  const colorOf = (value: string) => COLORS[named.indexOf(value)] ?? OTHERS
  return {
    field,
    title: fieldName(field),
    values,
    ranks: values.map((value) => (value === undefined ? Number.POSITIVE_INFINITY : rankOf(value))),
    colors: values.map((value) => (value === undefined ? undefined : colorOf(value))),
    legend: [
      ...named.map((name, place) => ({ name, color: COLORS[place] ?? OTHERS })),
      ...(hasOthers ? [{ name: 'others', color: OTHERS }] : []),
    ],
  }
}

/** Returns the value at a path. Of several elements the first is used. */
function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return valueAt(value[0], name === undefined ? [] : [name, ...rest])
  if (name === undefined) return value
  return typeof value === 'object' && value !== null
    ? valueAt(Reflect.get(value, name), rest)
    : undefined
}
