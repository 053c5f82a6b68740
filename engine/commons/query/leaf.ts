import { isObject, member } from '../../shared/input/unknowns.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { foldText, isNumberType, numberOf } from '../release/fold.ts'
import type { FilterContext, FilterValue, Leaf, LeafOp, ValueRange } from './filter-tree.ts'
import { badInput } from './input.ts'
import { isPattern } from './pattern.ts'

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
 * Reads a condition on one field (data-commons.md 1.1, 1.4). `name` is the operator in lower case.
 * @throws EngineError bad_input naming the place of the fault
 */
export function readLeaf(name: string, content: unknown, at: string, context: FilterContext): Leaf {
  const op = OPERATORS.get(name)
  if (!op) {
    const known = [...OPERATORS.keys(), 'and', 'or'].join(' ')
    throw badInput(`the operator ${quoted(name)} is unknown; there are ${known}`, `${at}.op`)
  }
  const inner = `${at}.content`
  if (op === 'range') return readRanges(content, at, context)
  const field = readField(content, inner, context)
  const value = readMember(content, 'value')
  const valueAt = `${inner}.value`
  if (op === 'missing' || op === 'present') {
    if (asksForMissing(value)) return leaf(op, field, [], at, context)
    if (op === 'missing') throw badInput(`"is" takes the value MISSING or none`, valueAt)
    // What `!(field == value)` of an R client becomes.
    return leaf('exclude', field, readValues(field, value, valueAt, context), at, context)
  }
  if (value === undefined || value === null) {
    throw badInput(`${valueAt} of "${name}" must be a value or a list of values`, valueAt)
  }
  if (op === 'in' || op === 'exclude' || op === 'excludeifany') {
    return leaf(op, field, readValues(field, value, valueAt, context), at, context)
  }
  const bound: unknown = Array.isArray(value) ? value[0] : value
  return leaf(op, field, [readValue(field, bound, valueAt)], at, context)
}

/** Characters of the name of a field. */
const MAX_NAME_LENGTH = 1000

/** Text from a request for a message: one line, cut. */
const quoted = (text: string) => JSON.stringify(text.slice(0, 100))

function leaf(
  op: LeafOp,
  field: FieldPath,
  values: readonly FilterValue[],
  at: string,
  { spend }: FilterContext,
  ranges: readonly ValueRange[] = [],
): Leaf {
  // Values of a list were counted before they were looked at.
  if (values.length < 2) spend(1, at)
  const kept = Object.freeze([...new Set(values)])
  return Object.freeze({ kind: 'leaf', op, field, values: kept, ranges: Object.freeze(ranges), at })
}

function readMember(content: unknown, name: string): unknown {
  return isObject(content) ? member(content, name) : undefined
}

function readField(content: unknown, at: string, { resolve, records }: FilterContext): FieldPath {
  if (!isObject(content)) throw badInput(`${at} must be an object with field and value`, at)
  const name = member(content, 'field')
  if (typeof name !== 'string')
    throw badInput(`${at}.field must be the name of a field`, `${at}.field`)
  if (name.length > MAX_NAME_LENGTH) {
    const message = `${at}.field has ${name.length} characters; the limit is ${MAX_NAME_LENGTH}`
    throw badInput(message, `${at}.field`)
  }
  const field = resolve(name)
  if (!field) throw badInput(`${records} has no field ${quoted(name)} to filter by`, `${at}.field`)
  return field
}

/** Absent, or the word in any case, alone or as the only member of a list. */
function asksForMissing(value: unknown): boolean {
  const only: unknown = Array.isArray(value) && value.length < 2 ? value[0] : value
  if (only === undefined || only === null) return true
  return typeof only === 'string' && only.toLowerCase() === 'missing'
}

function readValues(
  field: FieldPath,
  value: unknown,
  at: string,
  { spend, spendPattern }: FilterContext,
): readonly FilterValue[] {
  const read = (one: unknown, place: string) => {
    // Before it is folded: a pattern may be as long as a body.
    if (typeof one === 'string' && isPattern(one)) spendPattern(one, place)
    return readValue(field, one, place)
  }
  if (!Array.isArray(value)) return [read(value, at)]
  if (value.length > 1) spend(value.length, at)
  return value.map((one: unknown, i) => read(one, `${at}[${i}]`))
}

function readValue(field: FieldPath, value: unknown, at: string): FilterValue {
  if (isNumberType(field.type)) return readNumber(field, value, at)
  if (typeof value === 'string') return foldText(field.type, value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw badInput(`${at} must be a text, a number, true or false`, at)
}

function readNumber({ path }: FieldPath, value: unknown, at: string): number {
  const number = typeof value === 'string' ? numberOf(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  throw badInput(`${path.slice(0, 200)} holds numbers; ${at} must be a number or its text`, at)
}

/** `{field, ranges: [{from, to}]}`, or a list of such that name one field: any of the ranges. */
function readRanges(content: unknown, at: string, context: FilterContext): Leaf {
  const inner = `${at}.content`
  const list: readonly unknown[] = Array.isArray(content) ? content : [content]
  if (list.length === 0) throw badInput(`${inner} must hold field and ranges`, inner)
  const places = list.map((_, i) => (Array.isArray(content) ? `${inner}[${i}]` : inner))
  const fields = list.map((one, i) => readField(one, places[i] as string, context))
  const field = fields[0] as FieldPath
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
    context.spend(given.length, where)
    return given.map((range: unknown, n) => readRange(field, range, `${where}[${n}]`))
  })
  return leaf('range', field, [], at, context, ranges)
}

function readRange(field: FieldPath, range: unknown, at: string): ValueRange {
  const bound = (name: string) => {
    const value = readMember(range, name)
    return value === undefined || value === null
      ? {}
      : { [name]: readValue(field, value, `${at}.${name}`) }
  }
  const bounds: ValueRange = { ...bound('from'), ...bound('to') }
  if (Object.keys(bounds).length > 0) return Object.freeze(bounds)
  throw badInput(`${at} must be an object with from or to`, at)
}
