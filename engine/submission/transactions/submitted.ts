/** What is said of an entity: properties, and links to its parents, as it was submitted. */
export type EntityDocument = Readonly<Record<string, unknown>>

export type JsonKind = 'array' | 'boolean' | 'null' | 'number' | 'object' | 'string'

/** One thing of a body: an entity, or an element that cannot be one. */
export type Submitted =
  | {
      readonly document: EntityDocument
      /** Where a table has it, counted from 1; a quoted cell may take several lines. */
      readonly line?: number
      /** The columns of its properties and links, counted from 1; the same for all rows of a table. */
      readonly columns?: ReadonlyMap<string, number>
      /** The first cell beyond the header, in a row that has one. */
      readonly beyond?: number
    }
  | { readonly unlike: JsonKind }

/** Where a table has what an issue is about, as far as that is known. */
export function columnOf(submitted: Submitted, keys: readonly string[]): number | undefined {
  if (!('document' in submitted)) return undefined
  const { columns, beyond } = submitted
  for (const key of keys) {
    const column = columns?.get(key) ?? columns?.get(key.split('.', 1)[0] ?? key)
    if (column !== undefined) return beyond ?? column
  }
  return beyond
}

/** More than anybody submits at a time; a body of nothing but line ends has millions. */
export const MAX_DOCUMENTS = 100_000

/**
 * Values of a body, or cells of a table, blank ones among them; one of this many takes a second to read
 * and some hundred megabytes. Those of `MAX_DOCUMENTS` have twenty each.
 */
export const MAX_VALUES = 2_000_000

/** What is a kind of JSON; whole numbers beyond what a double holds are `bigint`. */
export function kindOf(value: unknown): JsonKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  switch (typeof value) {
    case 'boolean':
      return 'boolean'
    case 'number':
    case 'bigint':
      return 'number'
    case 'string':
      return 'string'
    default:
      return 'object'
  }
}

const MIN_WHOLE = -(2n ** 63n)
const MAX_WHOLE = 2n ** 63n - 1n

/**
 * A whole number out of its digits, exact up to 64 bits (submission.md 7.3); beyond them `undefined`.
 *
 * @example wholeNumber('9007199254740993') // 9007199254740993n
 */
export function wholeNumber(digits: string): number | bigint | undefined {
  const number = Number(digits)
  // There is no negative zero among whole numbers.
  if (Number.isSafeInteger(number)) return number + 0
  if (digits.length > 20) return undefined
  const exact = BigInt(digits)
  return exact >= MIN_WHOLE && exact <= MAX_WHOLE ? exact : undefined
}
