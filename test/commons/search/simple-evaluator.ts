import type { Dataset, FieldTree, FieldType } from '../../../engine/commons/datasets/define.ts'

// The meaning of filters, facets and sorting as data-commons.md words it, over whole documents and
// without any thought of speed. It shares nothing with the engine but the tables of fields, nested
// paths and mounts, so that a mistake would have to be made twice. Fields of related records are read
// by related-documents.ts.

export type Document = Readonly<Record<string, unknown>>

export interface Asked {
  readonly filters?: unknown
  readonly facets?: readonly string[]
  /** Histograms as `field:interval`. */
  readonly histograms?: readonly string[]
  /** Sort keys as `field:asc` or `field:desc`. */
  readonly sort?: readonly string[]
  readonly from: number
  readonly size: number
}

interface Bucket {
  readonly doc_count: number
  readonly key: string
}

interface Stats {
  readonly count: number
  readonly min: number | null
  readonly max: number | null
  readonly avg: number | null
  readonly sum: number
}

interface Aggregation {
  readonly buckets?: readonly Bucket[]
  readonly stats?: Stats
  readonly histogram?: { readonly interval: number | string; readonly buckets: readonly Bucket[] }
}

export interface Answered {
  readonly total: number
  readonly ids: readonly string[]
  readonly aggregations: Readonly<Record<string, Aggregation>>
}

type Scalar = string | number | boolean

export interface Field {
  readonly path: string
  readonly type: FieldType
  /** Nested paths that contain the field, outermost first. */
  readonly nested: readonly string[]
  /** Members with the position of the field's owner: chromosome, first, last (data-commons.md 11.41). */
  readonly place?: readonly [string, string, string]
}

/** How to read the documents of an endpoint. */
export interface View {
  readonly dataset: Dataset
  /** Finds a field by its name in facets, and in filters without the dataset's prefix. */
  readonly field: (name: string) => Field | undefined
}

type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | {
      readonly kind: 'leaf'
      readonly op: Operator
      readonly field: Field
      readonly values: readonly Scalar[]
      readonly ranges?: readonly Range[]
    }

/** A range that includes `from` and excludes `to`. */
interface Range {
  readonly from?: Scalar
  readonly to?: Scalar
}

type Leaf = Extract<Condition, { kind: 'leaf' }>

const COMPARISONS = ['<', '<=', '>', '>='] as const
type Comparison = (typeof COMPARISONS)[number]
type Operator = 'in' | 'exclude' | 'excludeifany' | 'missing' | 'present' | 'range' | Comparison

const isComparison = (op: string): op is Comparison =>
  (COMPARISONS as readonly string[]).includes(op)

/** A dataset with its own fields only. */
const plainView = (dataset: Dataset): View => ({
  dataset,
  field: (name) => ownField(dataset, name),
})

/** Answers a request from the complete documents of a dataset, which are ordered by id. */
export function answer(of: Dataset | View, documents: readonly Document[], asked: Asked): Answered {
  const view = 'field' in of ? of : plainView(of)
  const { dataset } = view
  const filter = conditionFrom(view, asked.filters)
  const hits = documents.filter((document) => holds(document, filter))
  const ordered = sorted(view, hits, asked.sort ?? [])
  const aggregations: Record<string, Aggregation> = {}
  const countedBy = (field: Field) => {
    const rest = filter && without(filter, field.path)
    return documents.filter((document) => holds(document, rest))
  }
  for (const name of asked.facets ?? []) {
    const field = fieldOf(view, name)
    aggregations[name] = aggregate(countedBy(field), field)
  }
  for (const text of asked.histograms ?? []) {
    const [name = '', interval = ''] = text.split(':')
    const field = fieldOf(view, name)
    const histogram = histogramOf(countedBy(field), field, interval)
    aggregations[name] = { ...aggregations[name], histogram }
  }
  return {
    total: hits.length,
    ids: ordered
      .slice(asked.from, asked.from + asked.size)
      .map((document) => String(document[dataset.idField])),
    aggregations,
  }
}

// Fields (data-commons.md 1.2, table of names).

const REAL_NAMES: Readonly<Record<string, string>> = {
  dbgap_accession_number: 'registry_accession_number',
  cosmic_id: 'catalog_id',
  ncbi_build: 'agency_build',
}

export function typeOf(dataset: Dataset, path: string): FieldType | undefined {
  for (const tree of [dataset.fields, dataset.hidden]) {
    let node: FieldTree | FieldType | undefined = tree
    for (const name of path.split('.')) node = typeof node === 'object' ? node[name] : undefined
    if (typeof node === 'string') return node
  }
  return undefined
}

export const canonical = (name: string): string =>
  name
    .split('.')
    .map((part) => REAL_NAMES[part] ?? part)
    .join('.')

/** A field in a dataset's own table. */
export function ownField(dataset: Dataset, name: string): Field | undefined {
  const path = canonical(name)
  const type = typeOf(dataset, path)
  return type && { path, type, nested: above(dataset.nested, path) }
}

/** The nested paths that contain a field, outermost first. */
export const above = (nested: readonly string[], path: string): readonly string[] =>
  nested
    .filter((level) => path.startsWith(`${level}.`))
    .sort((one, other) => one.length - other.length)

const PLACES = [
  ['chromosome', 'start_position', 'end_position'],
  ['gene_chromosome', 'gene_start', 'gene_end'],
] as const

/** `region` of a group with a chromosome and positions. */
function placeOf(view: View, name: string): Field | undefined {
  const prefix = name.replace(/region$/, '')
  const place = PLACES.find((one) => one.every((member) => view.field(prefix + member)))
  const field = place && view.field(prefix + place[0])
  return field && { ...field, path: field.path.replace(/\w+$/, 'region'), place }
}

function fieldOf(view: View, name: string): Field {
  const field = view.field(name) ?? (name.endsWith('region') ? placeOf(view, name) : undefined)
  if (field === undefined) throw new Error(`no field ${name}`)
  return field
}

// Filters (data-commons.md 1.1, 11.10).

/** The request's filter; `undefined` matches all. Handles valid filters only. */
function conditionFrom(view: View, filter: unknown): Condition | undefined {
  if (filter === undefined || filter === null || filter === '') return undefined
  const { op: sent, content } = filter as { op?: string; content?: unknown }
  if (sent === undefined) return undefined
  const op = sent.toLowerCase()
  if (op === 'and' || op === 'or') {
    const parts = (content as unknown[]).map((part) => conditionFrom(view, part) as Condition)
    return { kind: op, parts }
  }
  const first = (Array.isArray(content) ? content[0] : content) as {
    field: string
    value?: unknown
  }
  const { field: name, value } = first
  const own = `${view.dataset.name}.`
  const field = fieldOf(view, name.startsWith(own) ? name.slice(own.length) : name)
  // A missing value, null and an empty list stand for no value.
  const listed = [value ?? []].flat() as Scalar[]
  const leaf = (operator: Operator, values: readonly Scalar[] = []): Leaf => {
    return { kind: 'leaf', op: operator, field, values }
  }
  // A list of one value is equal to its only member, as in all leaves.
  const isMissing = listed.length === 1 && String(listed[0]).toLowerCase() === 'missing'
  if (op === '=' || op === 'in') return leaf('in', listed)
  if (op === '!=' || op === 'exclude') return leaf('exclude', listed)
  if (op === 'excludeifany') return leaf('excludeifany', listed)
  if (op === 'is') return leaf('missing')
  if (op === 'not') {
    return listed.length === 0 || isMissing ? leaf('present') : leaf('exclude', listed)
  }
  if (op === 'range') {
    const ranges = [content].flat().flatMap((one) => (one as { ranges: Range[] }).ranges)
    return { ...leaf('range'), ranges }
  }
  if (isComparison(op)) return leaf(op, listed.slice(0, 1))
  throw new Error(`no operator ${op}`)
}

// Scopes (data-commons.md 1.3).

function holds(document: Document, filter: Condition | undefined): boolean {
  if (filter === undefined) return true
  if (filter.kind === 'or') return filter.parts.some((part) => holds(document, part))
  const parts = flattened(filter)
  const leaves: Leaf[] = []
  for (const part of parts) {
    if (part.kind !== 'leaf') {
      if (!holds(document, part)) return false
    } else if (part.op === 'excludeifany' && part.field.nested.length > 0) {
      // The leaf applies to all elements of the record, so it cannot share one with others.
      const someIsListed: Leaf = { ...part, op: 'in' }
      if (elementHolds(document, '', [someIsListed])) return false
    } else leaves.push(part)
  }
  return elementHolds(document, '', leaves)
}

const flattened = (filter: Condition): readonly Condition[] =>
  filter.kind === 'and' ? filter.parts.flatMap(flattened) : [filter]

/** Whether all conditions hold on one element: on itself, or on elements within it. */
function elementHolds(element: Document, level: string, leaves: readonly Leaf[]): boolean {
  const within = new Map<string, Leaf[]>()
  for (const leaf of leaves) {
    const next = leaf.field.nested.find((nested) => nested.length > level.length)
    if (next === undefined) {
      const isHeld = leaf.field.place ? placesHold : valuesHold
      if (!isHeld(leaf, valuesBelow(element, level, leaf.field))) return false
    } else within.set(next, [...(within.get(next) ?? []), leaf])
  }
  return [...within].every(([next, group]) =>
    elementsBelow(element, level, next).some((inner) => elementHolds(inner, next, group)),
  )
}

const below = (level: string, path: string) => (level === '' ? path : path.slice(level.length + 1))

/** All values at a path, through objects and arrays. */
export function standingAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((member) => standingAt(member, path))
  if (value === undefined || value === null) return []
  const [name, ...rest] = path
  return name === undefined ? [value] : standingAt((value as Document)[name], rest)
}

const elementsBelow = (element: Document, level: string, nested: string) =>
  standingAt(element, below(level, nested).split('.')) as Document[]

/** The values of a field in an element, without null and absent ones; for a place, its three members. */
function valuesBelow(element: Document, level: string, { path, type, place }: Field): Scalar[] {
  if (place) {
    const group = below(level, path).split('.').slice(0, -1)
    return [JSON.stringify(place.map((member) => standingAt(element, [...group, member])))]
  }
  const values = standingAt(element, below(level, path).split('.')) as Scalar[]
  return values.map((value) => comparable(type, value))
}

// Values (data-commons.md 1.4).

const isNumber = (type: FieldType) => type === 'long' || type === 'double' || type === 'float'

/** The form in which a value is compared: a number, or a text folded according to its type. */
function comparable(type: FieldType, value: Scalar): Scalar {
  if (isNumber(type)) return Number(value)
  return type === 'exact' ? String(value) : String(value).toLowerCase()
}

function valuesHold(leaf: Leaf, values: readonly Scalar[]): boolean {
  const { op, values: listed, ranges = [] } = leaf
  const { type } = leaf.field
  const isListed = (value: Scalar) => listed.some((one) => matches(type, value, one))
  if (op === 'in') return values.some(isListed)
  if (op === 'exclude' || op === 'excludeifany') return !values.some(isListed)
  if (op === 'missing') return values.length === 0
  if (op === 'present') return values.some((value) => value !== '')
  if (op === 'range') {
    return values.some((value) =>
      ranges.some(
        ({ from, to }) =>
          (from === undefined || compare(value, comparable(type, from)) >= 0) &&
          (to === undefined || compare(value, comparable(type, to)) < 0),
      ),
    )
  }
  const bound = comparable(type, listed[0] as Scalar)
  return values.some((value) => {
    const order = compare(value, bound)
    if (op === '<') return order < 0
    if (op === '<=') return order <= 0
    return op === '>' ? order > 0 : order >= 0
  })
}

/** Whether a place overlaps a listed region, or for a negative operator, none does. */
function placesHold({ op, values }: Leaf, places: readonly Scalar[]): boolean {
  const bare = (one: Scalar) => String(one).toLowerCase().replace(/^chr/, '')
  const overlaps = places.some((text) => {
    const [chromosomes, firsts, lasts] = JSON.parse(String(text)) as [Scalar[], Scalar[], Scalar[]]
    return values.some((value) => {
      const [, name = '', from = '1', , to = 'Infinity'] =
        /^(\w+)(?::(\d+)?(-(\d+))?)?$/.exec(String(value).replaceAll(',', '')) ?? []
      return (
        chromosomes.some((one) => bare(one) === bare(name)) &&
        firsts.some((first) => Number(first) <= Number(to)) &&
        lasts.some((last) => Number(last) >= Number(from))
      )
    })
  })
  return overlaps === (op === 'in')
}

function matches(type: FieldType, value: Scalar, listed: Scalar): boolean {
  const wanted = comparable(type, listed)
  if (typeof listed !== 'string' || isNumber(type) || !listed.includes('*')) return value === wanted
  return wildcard(String(wanted)).test(String(value))
}

function wildcard(pattern: string): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
  return new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`, 'su')
}

/** Compares numbers by value and texts by code points. */
function compare(one: Scalar, other: Scalar): number {
  if (typeof one === 'number') return one - Number(other)
  const [first, second] = [Array.from(String(one)), Array.from(String(other))]
  for (let at = 0; at < first.length && at < second.length; at++) {
    const order = (first[at]?.codePointAt(0) ?? 0) - (second[at]?.codePointAt(0) ?? 0)
    if (order !== 0) return order
  }
  return first.length - second.length
}

// Facets (data-commons.md 3.4, 11.12).

/** The filter without its leaves on a field, except ranges; empty groups are removed. */
function without(filter: Condition, path: string): Condition | undefined {
  if (filter.kind === 'leaf') {
    const isRange = isComparison(filter.op) || filter.op === 'range'
    return filter.field.path === path && !isRange ? undefined : filter
  }
  const parts = filter.parts.map((part) => without(part, path))
  const left = parts.filter((part) => part !== undefined)
  return left.length === 0 ? undefined : { kind: filter.kind, parts: left }
}

/** The innermost elements that can have a field; for a flat field, the record itself. */
function holdersOf(document: Document, field: Field) {
  const level = field.nested.at(-1) ?? ''
  const elements = level === '' ? [document] : elementsBelow(document, '', level)
  return elements.map((element) => valuesBelow(element, level, field))
}

function aggregate(documents: readonly Document[], field: Field): Aggregation {
  const found = documents.map((document) => holdersOf(document, field))
  if (isNumber(field.type)) {
    // Like the real service, numbers are counted per element, and a repeated number in a list only once.
    const numbers = found.flat().flatMap((values) => [...new Set(values as number[])])
    return { stats: statsOf(numbers) }
  }
  const counts = new Map<string, number>()
  for (const holders of found) {
    for (const key of new Set(holders.flat().map(String))) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const buckets = [...counts].map(([key, doc_count]) => ({ doc_count, key }))
  buckets.sort((one, other) => other.doc_count - one.doc_count || compare(one.key, other.key))
  const missing = found.filter((holders) => holders.some((values) => values.length === 0)).length
  if (missing > 0) buckets.push({ doc_count: missing, key: '_missing' })
  return { buckets }
}

/** Counts records by the intervals of their values (data-commons.md 11.40). */
function histogramOf(documents: readonly Document[], field: Field, given: string) {
  const length = Number(given)
  const keyOf = (value: Scalar): string | undefined => {
    if (isNumber(field.type)) return String(Math.floor(Number(value) / length) * length)
    const [date, year, month] = /^(\d{4})-(\d{2})-\d{2}/.exec(String(value)) ?? []
    return given === 'year' ? year : given === 'month' ? date && `${year}-${month}` : date
  }
  const counts = new Map<string, number>()
  let missing = 0
  for (const document of documents) {
    const keys = holdersOf(document, field).map((values) =>
      values.map(keyOf).filter((key) => key !== undefined),
    )
    for (const key of new Set(keys.flat())) counts.set(key, (counts.get(key) ?? 0) + 1)
    if (keys.some((some) => some.length === 0)) missing++
  }
  const buckets = [...counts].map(([key, doc_count]) => ({ doc_count, key }))
  buckets.sort(({ key: one }, { key: other }) =>
    isNumber(field.type) ? Number(one) - Number(other) : compare(one, other),
  )
  if (missing > 0) buckets.push({ doc_count: missing, key: '_missing' })
  return { interval: isNumber(field.type) ? length : given, buckets }
}

function statsOf(values: readonly number[]): Stats {
  const sum = values.reduce((before, value) => before + value, 0)
  if (values.length === 0) return { count: 0, min: null, max: null, avg: null, sum: 0 }
  return {
    count: values.length,
    min: Math.min(...values),
    max: Math.max(...values),
    avg: sum / values.length,
    sum,
  }
}

// Sorting (data-commons.md 2.1).

/** Sorts by the least value if ascending, by the greatest if descending; records without values come last. */
function sorted(view: View, documents: readonly Document[], keys: readonly string[]) {
  const parsed = keys.map((key) => {
    const [name = '', direction = 'asc'] = key.split(':')
    return { field: fieldOf(view, name), sign: direction.toLowerCase() === 'desc' ? -1 : 1 }
  })
  const ranked = documents.map((document) => ({
    document,
    ranks: parsed.map(({ field, sign }) => {
      const values = holdersOf(document, field).flat()
      return values.sort((one, other) => sign * compare(one, other))[0]
    }),
  }))
  // Documents are in the order of ids, and the sort is stable.
  ranked.sort((one, other) => {
    for (const [index, { sign }] of parsed.entries()) {
      const [first, second] = [one.ranks[index], other.ranks[index]]
      if (first === undefined && second === undefined) continue
      if (first === undefined) return 1
      if (second === undefined) return -1
      const order = sign * compare(first, second)
      if (order !== 0) return order
    }
    return 0
  })
  return ranked.map(({ document }) => document)
}
