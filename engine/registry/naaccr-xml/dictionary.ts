/** Where an item belongs. */
export const ELEMENTS = Object.freeze(['NaaccrData', 'Patient', 'Tumor'] as const)
export type Element = (typeof ELEMENTS)[number]

export const DATA_TYPES = Object.freeze([
  ...(['alpha', 'digits', 'mixed', 'numeric', 'text', 'date', 'dateTime'] as const),
])
export type DataType = (typeof DATA_TYPES)[number]

/** What a dictionary says of an item. */
export interface ItemDefinition {
  readonly id: string
  readonly number?: number
  readonly name?: string
  /** Characters. */
  readonly length: number
  readonly element: Element
  /** `A`, `M`, `C` and `I`. */
  readonly recordTypes: string
  readonly dataType: DataType
  readonly isUnlimited: boolean
  /** Of a line of fixed columns, from 1; up to version 18. */
  readonly startColumn?: number
  /** Whether blanks around a value in fixed columns are part of it. */
  readonly keepsBlanks?: true
}

/** A base dictionary of the standard, or one of items that a registry defines itself. */
export interface Dictionary {
  readonly uri: string
  /** `250`; of a registry's own, the version that it goes with. */
  readonly version?: string
  /** When it was changed last, as it says that. */
  readonly modified?: string
  readonly items: readonly ItemDefinition[]
}

/** What the items of one file may be: those of its dictionaries. */
export class Definitions {
  readonly #items = new Map<string, ItemDefinition>()

  constructor(dictionaries: readonly Dictionary[]) {
    for (const { items } of dictionaries) for (const item of items) this.#items.set(item.id, item)
  }

  get(id: string): ItemDefinition | undefined {
    return this.#items.get(id)
  }

  all(): readonly ItemDefinition[] {
    return [...this.#items.values()]
  }
}

const BASE_URI = /^http:\/\/naaccr\.org\/naaccrxml\/naaccr-dictionary-(\d{3})\.xml$/

/** The version of a base dictionary, such as `250`, by its address; undefined of any other dictionary. */
export const versionOf = (uri: string): string | undefined => BASE_URI.exec(uri)?.[1]

/** Types whose values fill the length of their item. */
const FILLED: ReadonlySet<DataType> = new Set(['alpha', 'digits', 'mixed'])

const PATTERNS: Readonly<Record<DataType, RegExp>> = {
  alpha: /^[A-Z]+$/,
  digits: /^\d+$/,
  mixed: /^[A-Z\d]+$/,
  numeric: /^\d+(\.\d+)?$/,
  text: /./s,
  date: /^(18|19|20)\d\d((0[1-9]|1[012])(0[1-9]|[12]\d|3[01])?)?$/,
  dateTime:
    /^(18|19|20)\d\d(-(0[1-9]|1[012])(-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d([+-][01]\d:[0-5]\d|Z)?)?)?)?$/,
}

export type ValueFault = 'too long' | 'too short' | 'not of the type'

/** What is wrong with a value that is not empty, if anything is. */
export function faultOf(value: string, item: ItemDefinition): ValueFault | undefined {
  const { length, dataType, isUnlimited } = item
  if (value.length > length && !isUnlimited) return 'too long'
  if (FILLED.has(dataType) && value.length < length) return 'too short'
  return PATTERNS[dataType].test(value) ? undefined : 'not of the type'
}
