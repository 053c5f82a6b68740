import type { Bucket, SearchAnswer } from '../cohort/count.ts'
import type { Service, ServiceRequest } from '../service/service.ts'
import { useLoaded } from '../service/use-answer.ts'

/** Values as their records write them, keyed by field and the value in lower case. */
type Letters = ReadonlyMap<string, string>

/** Values of a field whose spelling is asked for. */
interface Spelled {
  readonly field: string
  readonly keys: readonly string[]
}

/** Number of records read for the spelling of their values, and the number of such requests. */
const RECORDS = 40
const ROUNDS = 3
/** Symbols of genes stand in many records, but once in the dataset of genes. */
const SYMBOL = /(^|\.)(genes|gene)\.symbol$/
/** Maximum number of symbols per request. */
const MAX_SYMBOLS = 200

/**
 * Returns how records write the values that counts return in lower case. Values that stand in no record that was
 * read are missing in the result.
 */
export async function lettersOf(
  service: Service,
  dataset: string,
  spelled: readonly Spelled[],
  signal: AbortSignal,
): Promise<Letters> {
  const letters = new Map<string, string>()
  const missing = () =>
    spelled.flatMap(({ field, keys }) => {
      const left = keys.filter((key) => hasLetters(key) && !letters.has(letterKey(field, key)))
      return left.length > 0 ? [{ field, keys: left }] : []
    })
  for (const { field, keys } of missing().filter((one) => SYMBOL.test(one.field))) {
    const value = keys.slice(0, MAX_SYMBOLS)
    const filters = { op: 'in', content: { field: 'symbol', value } }
    const query = { fields: 'symbol', size: MAX_SYMBOLS }
    const { data } = await asked(service, { path: '/genes', query, filters }, signal)
    for (const hit of data.hits) add(letters, field, valuesAt(hit, ['symbol']))
  }
  for (let round = 0; round < ROUNDS; round++) {
    const left = missing().filter(({ field }) => !SYMBOL.test(field))
    if (left.length === 0) break
    // Each field is asked for the records that have its values, so that rare values are found, too.
    await Promise.all(
      left.map(async ({ field, keys }) => {
        const filters = { op: 'in', content: { field, value: keys } }
        const query = { fields: field, size: RECORDS }
        const { data } = await asked(service, { path: `/${dataset}`, query, filters }, signal)
        for (const hit of data.hits) add(letters, field, valuesAt(hit, field.split('.')))
      }),
    )
  }
  return letters
}

/** Loads how records write the values of counts. Until then, and if it fails, the values stay as they are. */
export function useLetters(dataset: string, spelled: readonly Spelled[]): Letters {
  const wanted = spelled.filter(({ keys }) => keys.some(hasLetters))
  const { data } = useLoaded(
    wanted.length > 0 ? { dataset, wanted } : undefined,
    (service, given, signal) => lettersOf(service, given.dataset, given.wanted, signal),
  )
  return data ?? NONE
}

const NONE: Letters = new Map()

/** Returns a value as records write it. If that is unknown, returns it as it is. */
export const inLetters = (letters: Letters, field: string, key: string): string =>
  letters.get(letterKey(field, key)) ?? key

/** Returns the values of buckets, without that of missing values. */
export const keysOf = (buckets: readonly Bucket[] | undefined): readonly string[] =>
  (buckets ?? []).flatMap(({ key }) => (key === '_missing' ? [] : [key]))

/** Only values in lower case may have been changed by the service. */
const hasLetters = (key: string) => /\p{L}/u.test(key) && key === key.toLowerCase()

const letterKey = (field: string, key: string) => `${field}\n${key.toLowerCase()}`

function add(letters: Map<string, string>, field: string, values: readonly string[]): void {
  for (const value of values) {
    const key = letterKey(field, value)
    if (!letters.has(key)) letters.set(key, value)
  }
}

async function asked(
  service: Service,
  request: ServiceRequest,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const kept = service.kept(request) as SearchAnswer | undefined
  return kept ?? service.ask<SearchAnswer>(request, signal)
}

/** Returns the texts at a path of a record, in all elements of its lists. */
function valuesAt(record: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(record)) return record.flatMap((one) => valuesAt(one, path))
  const [name, ...rest] = path
  if (name === undefined) return typeof record === 'string' ? [record] : []
  if (typeof record !== 'object' || record === null) return []
  return valuesAt(Reflect.get(record, name), rest)
}
