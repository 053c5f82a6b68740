/** A submitted document: properties of an entity, and links to its parents. */
export type EntityDocument = Readonly<Record<string, unknown>>

type JsonKind = 'array' | 'boolean' | 'null' | 'number' | 'object' | 'string'

/** An element of a body. It is an entity, or something that cannot be one. */
export type Submitted =
  | {
      readonly document: EntityDocument
      /** Line of a table, starting at 1. A quoted cell may span several lines. */
      readonly line?: number
      /** Columns of properties and links, starting at 1. All rows of a table share them. */
      readonly columns?: ReadonlyMap<string, number>
      /** First column after those of the header, if the row has one. */
      readonly beyond?: number
    }
  | { readonly unlike: JsonKind }

/** Returns the column of a table to which an issue refers. Undefined if unknown. */
export function columnOf(submitted: Submitted, keys: readonly string[]): number | undefined {
  if (!('document' in submitted)) return undefined
  const { columns, beyond } = submitted
  for (const key of keys) {
    const column = columns?.get(key) ?? columns?.get(key.split('.', 1)[0] ?? key)
    if (column !== undefined) return beyond ?? column
  }
  return beyond
}

/** Maximum number of documents. A body of nothing but line breaks could have millions. */
export const MAX_DOCUMENTS = 100_000

/**
 * Maximum number of values in a body, or of cells in a table, including empty ones. That many values take a
 * second to parse and some hundred megabytes of memory. They are twenty for each of `MAX_DOCUMENTS`.
 */
export const MAX_VALUES = 2_000_000

/** Returns the JSON type of a value. Integers beyond a double's precision are `bigint`. */
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
 * Parses an integer exactly up to 64 bits (submission.md 7.3). Returns `undefined` beyond.
 * @example wholeNumber('9007199254740993') // 9007199254740993n
 */
export function wholeNumber(digits: string): number | bigint | undefined {
  const number = Number(digits)
  // Adding 0 turns -0 into 0.
  if (Number.isSafeInteger(number)) return number + 0
  if (digits.length > 20) return undefined
  const exact = BigInt(digits)
  return exact >= MIN_WHOLE && exact <= MAX_WHOLE ? exact : undefined
}
