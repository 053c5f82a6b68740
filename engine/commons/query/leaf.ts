import { didYouMean, NearNames, quotedName } from '../../shared/input/near-name.ts'
import { isObject, member } from '../../shared/input/unknowns.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { datasetOf } from '../datasets/index.ts'
import { foldText, isNumberType, numberOf } from '../release/fold.ts'
import type { ArrayKey } from '../release/loaded.ts'
import type {
  FilterContext,
  FilterValue,
  Leaf,
  LeafOp,
  ReadingSteps,
  ValueRange,
} from './filter-tree.ts'
import { badInput } from './input.ts'
import { searchedParts } from './pattern.ts'
import { holdsIdsOf, PinnedSet } from './pinned-set.ts'
import { regionValue } from './regions.ts'

const OPERATORS: ReadonlyMap<string, LeafOp> = new Map([
  ['=', 'in'],
  ['in', 'in'],
  ['!=', 'exclude'],
  ['exclude', 'exclude'],
  ['excludeifany', 'excludeifany'],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
  ['is', 'missing'],
  ['not', 'present'],
  ['range', 'range'],
])

/**
 * Parses a condition on one field (data-commons.md 1.1, 1.4). `name` is the operator in lower case.
 * @throws EngineError bad_input with the place of the error
 */
export function* readLeaf(
  name: string,
  content: unknown,
  at: string,
  context: FilterContext,
): ReadingSteps<Leaf> {
  const op = OPERATORS.get(name)
  if (!op) {
    const known = [...OPERATORS.keys(), 'and', 'or'].join(' ')
    throw badInput(`the operator ${quotedName(name)} is unknown; there are ${known}`, `${at}.op`)
  }
  const inner = `${at}.content`
  if (op === 'range') return readRanges(content, at, context)
  const field = readField(content, inner, context)
  if (field.region && !LISTING.has(op)) throw noRegionOp(name, at)
  const value = readMember(content, 'value')
  const valueAt = `${inner}.value`
  if (op === 'missing' || op === 'present') {
    if (asksForMissing(value)) {
      context.budget.spendValues(1, at)
      return leaf(op, field, NO_VALUES, at)
    }
    if (op === 'missing') throw badInput(`"is" takes the value MISSING, or no value`, valueAt)
    // R clients send this form for `!(field == value)`.
    return leaf('exclude', field, yield* readValues(field, value, valueAt, context), at)
  }
  if (value === undefined || value === null) {
    throw badInput(`${valueAt} of "${name}" must be a value or a list of values`, valueAt)
  }
  if (LISTING.has(op)) {
    return leaf(op, field, yield* readValues(field, value, valueAt, context), at)
  }
  // Clients may also send a list, of which the first item is the bound (data-commons.md 1.4).
  const [bound, ...others]: readonly unknown[] = Array.isArray(value) ? value : [value]
  context.budget.spendValues(1, valueAt)
  const values = [readValue(field, bound, () => valueAt, context)]
  const unused = others.length > 0 && { unusedCount: others.length }
  return leaf(op, field, { values, searchedPartCount: 0, ...unused }, at)
}

/** Operators that take several values. */
const LISTING: ReadonlySet<LeafOp> = new Set(['in', 'exclude', 'excludeifany'])

function noRegionOp(name: string, at: string): Error {
  const known = [...OPERATORS].flatMap(([word, op]) => (LISTING.has(op) ? [word] : [])).join(' ')
  return badInput(
    `the operator ${quotedName(name)} takes no regions; use one of ${known}`,
    `${at}.op`,
  )
}

/** Longest field name in characters. */
const MAX_NAME_LENGTH = 1000

type Values = Pick<Leaf, 'values' | 'searchedPartCount' | 'sets' | 'unusedCount'>

const NO_VALUES: Values = { values: [], searchedPartCount: 0 }

function leaf(
  op: LeafOp,
  field: FieldPath,
  { values, searchedPartCount, sets, unusedCount }: Values,
  at: string,
  ranges: readonly ValueRange[] = [],
): Leaf {
  Object.freeze(values)
  return Object.freeze({
    kind: 'leaf',
    op,
    field,
    values,
    ...(sets && { sets: Object.freeze(sets) }),
    ...(unusedCount !== undefined && { unusedCount }),
    searchedPartCount,
    ranges: Object.freeze(ranges),
    at,
  })
}

function readMember(content: unknown, name: string): unknown {
  return isObject(content) ? member(content, name) : undefined
}

function readField(
  content: unknown,
  at: string,
  { resolve, nearest, records }: FilterContext,
): FieldPath {
  if (!isObject(content)) throw badInput(`${at} must be an object with field and value`, at)
  const name = member(content, 'field')
  if (typeof name !== 'string')
    throw badInput(`${at}.field must be the name of a field`, `${at}.field`)
  if (name.length > MAX_NAME_LENGTH) {
    const message = `${at}.field has ${name.length} characters; the limit is ${MAX_NAME_LENGTH}`
    throw badInput(message, `${at}.field`)
  }
  const field = resolve(name)
  if (field) return field
  // At most one name is looked up, since parsing stops at the first unknown field.
  const meant = didYouMean([[name, nearest?.(name, new NearNames())]])
  throw badInput(`${records} has no field ${quotedName(name)} to filter by${meant}`, `${at}.field`)
}

/** Returns whether the value selects missing fields: undefined, or `missing` in any case, also in a list. */
function asksForMissing(value: unknown): boolean {
  const only: unknown = Array.isArray(value) && value.length < 2 ? value[0] : value
  if (only === undefined || only === null) return true
  return typeof only === 'string' && only.toLowerCase() === 'missing'
}

/** Number of values parsed between yields, a fraction of a millisecond. */
const STEP_VALUES = 256

/** Parses values and removes duplicates, keeping their order. */
function* readValues(
  field: FieldPath,
  value: unknown,
  at: string,
  context: FilterContext,
): ReadingSteps<Values> {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  // An empty list is charged as one value.
  context.budget.spendValues(Math.max(given.length, 1), at)
  const values = new Set<FilterValue>()
  const sets = new Set<ArrayKey>()
  let searchedPartCount = 0
  for (let i = 0; i < given.length; i++) {
    const place = () => (given === value ? `${at}[${i}]` : at)
    const one = given[i]
    if (one instanceof PinnedSet) {
      sets.add(keyOfSet(field, one, place))
      continue
    }
    const read = readValue(field, one, place, context)
    searchedPartCount += searchedParts(read)
    values.add(read)
    if (i % STEP_VALUES === STEP_VALUES - 1) yield
  }
  return { values: [...values], searchedPartCount, ...(sets.size > 0 && { sets: [...sets] }) }
}

/** @throws EngineError bad_input if the field does not hold ids of the kind of records in the set */
function keyOfSet(field: FieldPath, set: PinnedSet, place: () => string): ArrayKey {
  if (holdsIdsOf(set.dataset, field)) return set.key
  const at = place()
  const own = datasetOf(set.dataset)
  const message = `${at} names a set of ${set.dataset}, which ${field.path.slice(0, 200)} does not hold; use it with ${set.dataset}.${own.idField}`
  throw badInput(message, at)
}

/**
 * Parses one value.
 * @param place returns the place of the value for messages; building this text for each value would take
 *   longer than parsing the value
 */
function readValue(
  field: FieldPath,
  value: unknown,
  place: () => string,
  { budget }: FilterContext,
): FilterValue {
  // The text is charged before its case is folded, since it may be as long as the request body.
  if (typeof value === 'string') budget.spendText(value, place)
  if (field.region) {
    budget.spendRegion(place())
    return regionValue(value, place())
  }
  if (isNumberType(field.type)) return readNumber(field, value, place)
  if (typeof value === 'string') return foldText(field.type, value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const at = place()
  throw badInput(`${at} must be a text, a number, true or false`, at)
}

function readNumber({ path }: FieldPath, value: unknown, place: () => string): number {
  const number = typeof value === 'string' ? numberOf(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  const at = place()
  throw badInput(
    `${path.slice(0, 200)} holds numbers; ${at} must be a number, or a string that contains one`,
    at,
  )
}

/** Parses `{field, ranges: [{from, to}]}`, or a list of these for one field, of which one range must match. */
function readRanges(content: unknown, at: string, context: FilterContext): Leaf {
  const inner = `${at}.content`
  const list: readonly unknown[] = Array.isArray(content) ? content : [content]
  if (list.length === 0) throw badInput(`${inner} must hold field and ranges`, inner)
  const places = list.map((_, i) => (Array.isArray(content) ? `${inner}[${i}]` : inner))
  const fields = list.map((one, i) => readField(one, places[i] as string, context))
  const field = fields[0] as FieldPath
  if (field.region) throw noRegionOp('range', at)
  const other = fields.findIndex(({ path }) => path !== field.path)
  if (other > 0) {
    const where = `${places[other]}.field`
    throw badInput(`the ranges of one filter must name one field`, where)
  }
  const ranges = list.flatMap((one, i) => {
    const where = `${places[i]}.ranges`
    const given = readMember(one, 'ranges')
    if (!Array.isArray(given) || given.length === 0) {
      throw badInput(`${where} must be a list of objects with from or to`, where)
    }
    context.budget.spendValues(given.length, where)
    return given.map((range: unknown, n) => readRange(field, range, `${where}[${n}]`, context))
  })
  return leaf('range', field, NO_VALUES, at, ranges)
}

function readRange(
  field: FieldPath,
  range: unknown,
  at: string,
  context: FilterContext,
): ValueRange {
  const bound = (name: string) => {
    const value = readMember(range, name)
    return value === undefined || value === null
      ? {}
      : { [name]: readValue(field, value, () => `${at}.${name}`, context) }
  }
  const bounds: ValueRange = { ...bound('from'), ...bound('to') }
  if (Object.keys(bounds).length > 0) return Object.freeze(bounds)
  throw badInput(`${at} must be an object with from or to`, at)
}
