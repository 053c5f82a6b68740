import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { DATASETS } from '../../../../../engine/commons/datasets/index.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  textIn,
} from '../../../../../engine/shared/input/json-value.ts'
import type { Imported } from './imported.ts'

type Values = ReadonlyMap<string, Json>

/** Members that identify the documents of each kind. */
const ID_FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(DATASETS).map(([name, { idField }]) => [name, idField])),
  ...{ expression: 'gene_id', submitted: 'submitter_id', hcpcs: 'code', ndc: 'code' },
}

/** Ids that follow from what a record says, and sums over other records. */
const DERIVED = /(^|\.)(observation_id|summary)(\.|$)/
export const isDerived = (place: string) => DERIVED.test(place)

/** Lists all values of the records by place: dataset, id of the record, path. */
export function valuesOf(records: Imported['records']): Map<string, Json> {
  const values = new Map<string, Json>()
  const put = (place: string, value: Json | undefined) => {
    if (Array.isArray(value)) {
      const elements = value.map((each) => [elementOf(place, each), each] as const)
      for (const [id, each] of elements) if (id !== undefined) put(`${place}[${id}]`, each)
      // The order of a list has no meaning.
      const nameless = elements.flatMap(([id, each]) => (id === undefined ? [each] : []))
      const texts = new Map(nameless.map((each) => [each, stableText(each)]))
      nameless.sort((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1))
      for (const [i, each] of nameless.entries()) put(`${place}[${i}]`, each)
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) put(`${place}.${name}`, member)
    } else if (value !== undefined && value !== null) values.set(place, value)
  }
  for (const [dataset, documents] of Object.entries(records)) {
    for (const document of documents) put(`${dataset} ${idOf(dataset, document)}`, document)
  }
  return values
}

/** JSON with members sorted by name. */
const stableText = (value: Json): string =>
  JSON.stringify(value, (_, member: Json) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )

/**
 * Identifies an element of a list by its id or its text, since the order has no meaning; ids of observations are
 * derived.
 */
function elementOf(place: string, element: Json): string | undefined {
  const list = place.slice(place.lastIndexOf('.') + 1)
  if (list === 'observation') return undefined
  const name = list
    .replace('diagnoses', 'diagnosis')
    .replace(/ies$/, 'y')
    .replace(/(?<!i)s$/, '')
  return textIn(isObject(element) ? (element[`${name}_id`] ?? element[`${list}_id`]) : element)
}

interface Difference {
  readonly place: string
  readonly one: Json | undefined
  readonly other: Json | undefined
}

/** Places whose value differs, or is missing on one side. */
export function differences(one: Values, other: Values): readonly Difference[] {
  // There are millions of places, of which few differ.
  const found: Difference[] = []
  for (const [place, value] of one) {
    const known = other.get(place)
    if (known !== value) found.push({ place, one: value, other: known })
  }
  for (const [place, value] of other) {
    if (!one.has(place)) found.push({ place, one: undefined, other: value })
  }
  return found
}

/**
 * The records of two imports without those that both have with the same text. There are millions of values,
 * of which few differ.
 */
export function changedIn(
  given: Imported['records'],
  expected: Imported['records'],
): readonly [given: Imported['records'], expected: Imported['records']] {
  const datasets = [...new Set([...Object.keys(given), ...Object.keys(expected)])]
  const left = datasets.map((dataset) => {
    const [own, others] = [given[dataset] ?? [], expected[dataset] ?? []]
    const texts = new Map(others.map((each) => [idOf(dataset, each), JSON.stringify(each)]))
    const same = new Set(
      own.flatMap((each) => {
        const id = idOf(dataset, each)
        return texts.get(id) === JSON.stringify(each) ? [id] : []
      }),
    )
    const isLeft = (each: JsonObject) => !same.has(idOf(dataset, each))
    return [dataset, own.filter(isLeft), others.filter(isLeft)] as const
  })
  return [
    Object.fromEntries(left.map(([dataset, own]) => [dataset, own])),
    Object.fromEntries(left.map(([dataset, , others]) => [dataset, others])),
  ]
}

/** The number of differences to show. */
export const SHOWN = 8

export function expectSame(given: Imported, expected: Imported): void {
  const [own, others] = changedIn(given.records, expected.records)
  const found = differences(valuesOf(own), valuesOf(others))
  expect(found.slice(0, SHOWN)).toEqual([])
}

function idOf(dataset: string, document: JsonObject): string {
  return String(document[ID_FIELDS[dataset] ?? ''])
}

/**
 * Expects equal records. If a report mentions something about a source that the other does not, values may be
 * missing, but none may differ.
 */
export function expectSameOrTold(given: Imported, expected: Imported): void {
  if (isDeepStrictEqual(given.told, expected.told)) {
    expectSame(given, expected)
    return
  }
  const [own, others] = changedIn(given.records, expected.records)
  const found = differences(valuesOf(own), valuesOf(others)).filter(
    ({ place, one }) => one !== undefined && !isDerived(place),
  )
  expect(found.slice(0, SHOWN)).toEqual([])
}
