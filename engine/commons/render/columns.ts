import type { Scalar } from '../../shared/formats/flatten.ts'
import type { FieldType } from '../datasets/define.ts'

/** Bits for the kinds of values seen in a column. */
export const KINDS = { text: 1, boolean: 2, integer: 4, fraction: 8 } as const

/** A column as it occurs in one chunk of a response. */
export interface SeenColumn {
  readonly key: string
  /** Union of KINDS bits. 0 if all values are null. */
  readonly kinds: number
}

export type ColumnType = 'text' | 'boolean' | 'integer' | 'double'

/** A column of a typed table. */
export interface TypedColumn {
  readonly key: string
  readonly type: ColumnType
}

export function kindOf(value: Scalar): number {
  switch (typeof value) {
    case 'string':
      return KINDS.text
    case 'boolean':
      return KINDS.boolean
    case 'number':
      return Number.isSafeInteger(value) ? KINDS.integer : KINDS.fraction
    default:
      return 0
  }
}

/** Returns the type of the field with a flattened key. Array positions are not part of a field's name. */
export function typeOfKey(types: ReadonlyMap<string, FieldType>, key: string): FieldType {
  return types.get(key) ?? types.get(key.replace(/\.\d+(?=\.|$)/g, '')) ?? 'keyword'
}

/** Returns the type of a column. It is the type of the field unless the values do not fit it. */
export function columnType(field: FieldType, kinds: number): ColumnType {
  const isNumber = field === 'long' || field === 'double' || field === 'float'
  if (kinds === 0) return isNumber ? (field === 'long' ? 'integer' : 'double') : plainType(field)
  if (kinds === KINDS.boolean) return 'boolean'
  if (!isNumber || (kinds & (KINDS.text | KINDS.boolean)) !== 0) return 'text'
  return field === 'long' && kinds === KINDS.integer ? 'integer' : 'double'
}

const plainType = (field: FieldType) => (field === 'boolean' ? 'boolean' : 'text')

/** Merges the columns of all chunks of a response. */
export class ColumnUnion {
  readonly #kinds = new Map<string, number>()

  add(columns: readonly SeenColumn[]): void {
    for (const { key, kinds } of columns) {
      this.#kinds.set(key, (this.#kinds.get(key) ?? 0) | kinds)
    }
  }

  keys(): Iterable<string> {
    return this.#kinds.keys()
  }

  kindsOf(key: string): number {
    return this.#kinds.get(key) ?? 0
  }
}
