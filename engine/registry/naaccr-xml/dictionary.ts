/** The elements in which items occur. */
export const ELEMENTS = Object.freeze(['NaaccrData', 'Patient', 'Tumor'] as const)
export type Element = (typeof ELEMENTS)[number]

export const DATA_TYPES = Object.freeze([
  ...(['alpha', 'digits', 'mixed', 'numeric', 'text', 'date', 'dateTime'] as const),
])
export type DataType = (typeof DATA_TYPES)[number]

/** The definition of an item in a dictionary. */
export interface ItemDefinition {
  readonly id: string
  readonly number?: number
  readonly name?: string
  /** Maximum length in characters. */
  readonly length: number
  readonly element: Element
  /** A subset of `A`, `M`, `C` and `I`. */
  readonly recordTypes: string
  readonly dataType: DataType
  readonly isUnlimited: boolean
  /** 1-based column in a fixed-column line, up to version 18. */
  readonly startColumn?: number
  /** Whether surrounding blanks in fixed columns are part of the value. */
  readonly keepsBlanks?: true
}

/** A base dictionary of the standard or a user dictionary of a registry. */
export interface Dictionary {
  readonly uri: string
  /** A version such as `250`. For a user dictionary, the version that it extends. */
  readonly version?: string
  /** Time of the last change, according to the dictionary. */
  readonly modified?: string
  readonly items: readonly ItemDefinition[]
}

/** The items that a file may contain, according to its dictionaries. */
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

/** Returns the version of a base dictionary, such as `250`, from its URI, or undefined for any other dictionary. */
export const versionOf = (uri: string): string | undefined => BASE_URI.exec(uri)?.[1]

/** Types whose values must have the full length of the item. */
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

type ValueFault = 'unreadable' | 'too long' | 'too short' | 'not of the type'

/** Character that stands for bytes that are not UTF-8, and for control characters that XML forbids. */
export const UNREADABLE = '\uFFFD'

/** Returns the fault of a non-empty value, if it has one. */
export function faultOf(value: string, item: ItemDefinition): ValueFault | undefined {
  const { length, dataType, isUnlimited } = item
  if (value.includes(UNREADABLE)) return 'unreadable'
  if (value.length > length && !isUnlimited) return 'too long'
  if (FILLED.has(dataType) && value.length < length) return 'too short'
  return PATTERNS[dataType].test(value) ? undefined : 'not of the type'
}

/** Returns the code and the message for the fault of a value. */
export function describeFault(
  fault: ValueFault,
  { length: given }: string,
  { length, dataType }: ItemDefinition,
): readonly [code: 'unreadable' | 'too_long' | 'too_short' | 'wrong_type', message: string] {
  switch (fault) {
    case 'unreadable':
      return [
        'unreadable',
        'a value with bytes that are not UTF-8, with control characters, or with U+FFFD, which a conversion leaves for either; if the original is in Windows-1252, convert it with iconv -f WINDOWS-1252 -t UTF-8',
      ]
    case 'too long':
      return ['too_long', `a value of ${given} characters; at most ${length} are accepted`]
    case 'too short':
      return ['too_short', `a value of ${given} characters; ${length} are expected`]
    case 'not of the type':
      return ['wrong_type', `a value that is not of the type ${dataType}`]
  }
}
