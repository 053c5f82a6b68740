import type { Scalar } from '../../shared/formats/flatten.ts'
import type { FieldType } from '../datasets/define.ts'

/** Kinds of values that were seen in a column, as bits. */
export const KINDS = { text: 1, boolean: 2, integer: 4, fraction: 8 } as const

/** A column as one chunk of an answer shows it. */
export interface SeenColumn {
  readonly key: string
  /** Sum of KINDS; 0: nothing but null. */
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

/** The field's type of a flattened key: positions in arrays are no part of a field's name. */
export function typeOfKey(types: ReadonlyMap<string, FieldType>, key: string): FieldType {
  return types.get(key) ?? types.get(key.replace(/\.\d+(?=\.|$)/g, '')) ?? 'keyword'
}

/** What a typed table makes of a column: the field's type, unless its values do not fit into it. */
export function columnType(field: FieldType, kinds: number): ColumnType {
  const isNumber = field === 'long' || field === 'double' || field === 'float'
  if (kinds === 0) return isNumber ? (field === 'long' ? 'integer' : 'double') : plainType(field)
  if (kinds === KINDS.boolean) return 'boolean'
  if (!isNumber || (kinds & (KINDS.text | KINDS.boolean)) !== 0) return 'text'
  return field === 'long' && kinds === KINDS.integer ? 'integer' : 'double'
}

const plainType = (field: FieldType) => (field === 'boolean' ? 'boolean' : 'text')

/** Gathers the columns of all chunks of an answer. */
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
