import { dateTimeIn } from '../../shared/input/day.ts'
import type { Kind, Property } from '../dictionary/property.ts'
import { literal, literals } from './literal.ts'
import { kindOf } from './submitted.ts'

/** A problem with a value. */
interface ValueIssue {
  /** Path below the property, such as `.0` for the first item of a list. */
  readonly place: string
  readonly message: string
  /** Whether the issue is a wrong type, in the value itself or in one of the alternatives. */
  readonly isKind: boolean
}

/** Maximum number of issues per property, because a list may have millions of items. */
const MAX_ISSUES = 20

/** Validates a value with the messages of JSON Schema draft 4 validators (submission.md 7.7). */
export function valueIssues(value: unknown, property: Property): readonly ValueIssue[] {
  const validator = new ValueValidator()
  validator.check(value, property, '')
  return validator.issues
}

class ValueValidator {
  readonly issues: ValueIssue[] = []

  check(value: unknown, property: Property, place: string): void {
    if (this.issues.length >= MAX_ISSUES) return
    const report: Report = (message, isKind = false) => {
      this.issues.push({ place, message: `${literal(value)} ${message}`, isKind })
    }
    const { kinds, values } = property
    if (kinds && !isOfKinds(value, kinds)) report(`is not of type ${literals(kinds)}`, true)
    if (values && !values.has(value)) report(`is not one of [${literals(values)}]`)
    if (typeof value === 'string') checkText(value, property, report)
    if (typeof value === 'number' || typeof value === 'bigint') checkNumber(value, property, report)
    checkForms(value, property, report)
    this.#checkParts(value, property, place)
  }

  #checkParts(value: unknown, { items, members }: Property, place: string): void {
    if (items && Array.isArray(value)) {
      for (const [i, item] of value.entries()) this.check(item, items, `${place}.${i}`)
    }
    if (!members || kindOf(value) !== 'object') return
    for (const [name, schema] of members) {
      if (!Object.hasOwn(value as object, name)) continue
      this.check((value as Readonly<Record<string, unknown>>)[name], schema, `${place}.${name}`)
    }
  }
}

type Report = (message: string, isKind?: boolean) => void

function checkText(text: string, { pattern, isDateTime }: Property, report: Report): void {
  if (pattern && !pattern.expression.test(text)) report(`does not match ${literal(pattern.text)}`)
  if (isDateTime && dateTimeIn(text) === undefined) report("is not a 'date-time'")
}

function checkNumber(
  number: number | bigint,
  { minimum, maximum }: Property,
  report: Report,
): void {
  if (minimum !== undefined && number < minimum) {
    report(`is less than the minimum of ${literal(minimum)}`)
  }
  if (maximum !== undefined && number > maximum) {
    report(`is greater than the maximum of ${literal(maximum)}`)
  }
}

function checkForms(value: unknown, property: Property, report: Report): void {
  const { alternatives, isExclusive } = property
  if (!alternatives) return
  const issues = alternatives.map((alternative) => valueIssues(value, alternative))
  const matches = issues.filter((found) => found.length === 0).length
  if (matches === 0) {
    const inner = issues.flat()
    const reasons = inner.map(({ message }) => message).join(' and ')
    const isKind = inner.some((issue) => issue.isKind)
    report(`is not valid under any of the given schemas: ${reasons}`, isKind)
  }
  if (isExclusive && matches > 1) report('is valid under several of the given schemas')
}

function isOfKinds(value: unknown, kinds: ReadonlySet<Kind>): boolean {
  for (const kind of kinds) if (isKind(value, kind)) return true
  return false
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind !== 'integer') return kindOf(value) === kind
  // Integers beyond 64 bits are not exact and so do not count as integers.
  return typeof value === 'bigint' || Number.isSafeInteger(value)
}
