import type { FieldPath } from '../datasets/field-path.ts'
import type { Resolver } from '../datasets/resolver.ts'
import { unrecognized } from '../datasets/select.ts'
import { isNumberType } from '../release/fold.ts'
import { badInput } from './input.ts'
import { DATE_UNITS, type Interval } from './intervals.ts'
import type { Facet } from './query.ts'

/**
 * Adds histograms, given as `field:interval`, to the facets of a request (data-commons.md 11.40). A field with
 * values and intervals to count gets one facet. Unknown names are skipped and named in the warning.
 * @throws EngineError bad_input for an interval that the field does not take, or a field named twice
 */
export function withHistograms(
  facets: readonly Pick<Facet, 'field' | 'name'>[],
  histograms: readonly string[],
  { resolve, nearest }: Pick<Resolver, 'nearest' | 'resolve'>,
): { readonly facets: readonly Facet[]; readonly warning?: string } {
  const byName = new Map(
    facets.map(({ name, field }): [string, Facet] => [
      name,
      { name, field, counts: [{ kind: 'values' }] },
    ]),
  )
  const unknown: string[] = []
  for (const text of new Set(histograms)) {
    const [name = '', given = '', ...more] = text.split(':').map((part) => part.trim())
    const field = resolve(name)
    if (!field) {
      unknown.push(name)
      continue
    }
    const interval = more.length > 0 ? undefined : intervalFrom(given, field)
    if (interval === undefined)
      throw badInput(`${quoted(text)} is no histogram; ${formOf(field)}`, AT)
    const facet = byName.get(name)
    if (facet?.counts.some(({ kind }) => kind === 'intervals')) {
      throw badInput(`histograms name ${quoted(name)} twice; give one interval for each field`, AT)
    }
    const counts = [...(facet?.counts ?? []), { kind: 'intervals', interval } as const]
    byName.set(name, { name, field, counts })
  }
  const all = [...byName.values()]
  return unknown.length > 0
    ? { facets: all, warning: unrecognized(unknown, nearest) }
    : { facets: all }
}

const AT = 'histograms'

const quoted = (text: string) => JSON.stringify(text.slice(0, 100))

const NUMBER = /^\d{0,20}(\.\d{0,20})?(e[-+]?\d{1,2})?$/i

function intervalFrom(text: string, field: FieldPath): Interval | undefined {
  if (isNumberType(field.type)) {
    const length = NUMBER.test(text) ? Number.parseFloat(text) : Number.NaN
    return length > 0 && Number.isFinite(length) ? length : undefined
  }
  return isDate(field) ? DATE_UNITS.find((unit) => unit === text.toLowerCase()) : undefined
}

/** Dates and times are stored as text, so their fields are recognised by name. */
const isDate = ({ path }: FieldPath) => /_date(time)?$/.test(path)

function formOf(field: FieldPath): string {
  const { path } = field
  if (isNumberType(field.type))
    return `${path} holds numbers: give the length of an interval, as in "${path}:10"`
  if (isDate(field)) return `${path} holds dates: give year, month or day, as in "${path}:year"`
  return `${path} holds texts; histograms count numbers and dates`
}
