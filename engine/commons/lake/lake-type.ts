import type { Json } from '../../shared/input/json-value.ts'
import { isObject } from '../../shared/input/json-value.ts'
import { quoted } from '../../shared/streams/parquet-file.ts'
import type { ColumnType } from '../render/columns.ts'

/** Type of a lake column. Any value may be null, at every depth. */
export type LakeType = ScalarType | ListType | StructType

interface ScalarType {
  readonly kind: ColumnType
}

interface ListType {
  readonly kind: 'list'
  readonly item: LakeType
}

export interface StructType {
  readonly kind: 'struct'
  readonly members: readonly LakeMember[]
}

export interface LakeMember {
  readonly name: string
  readonly type: LakeType
}

export const TEXT: LakeType = { kind: 'text' }
export const TEXTS: LakeType = { kind: 'list', item: TEXT }
export const DOUBLE: LakeType = { kind: 'double' }

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  double: 'DOUBLE',
}

/** Returns the type's name in DuckDB's SQL. */
export function sqlType(type: LakeType): string {
  if (type.kind === 'list') return `${sqlType(type.item)}[]`
  if (type.kind !== 'struct') return SQL_TYPES[type.kind]
  const members = type.members.map((one) => `${quoted(one.name, '"')} ${sqlType(one.type)}`)
  return `STRUCT(${members.join(', ')})`
}

/** Returns the number of Parquet leaf columns that the type takes. */
export function leafCount(type: LakeType): number {
  if (type.kind === 'list') return leafCount(type.item)
  if (type.kind !== 'struct') return 1
  return type.members.reduce((sum, member) => sum + leafCount(member.type), 0)
}

const DELTA_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'string',
  boolean: 'boolean',
  integer: 'long',
  double: 'double',
}

/** Returns the type as a Delta schema contains it. */
export function deltaType(type: LakeType): Json {
  if (type.kind === 'list') {
    return { type: 'array', elementType: deltaType(type.item), containsNull: true }
  }
  if (type.kind !== 'struct') return DELTA_TYPES[type.kind]
  const fields = type.members.map(({ name, type: own }) => ({
    name,
    type: deltaType(own),
    nullable: true,
    metadata: {},
  }))
  return { type: 'struct', fields }
}

/** Converts a value of a document to a type. If the type is a list, a single value becomes a list of one. */
export function conformed(value: Json | undefined, type: LakeType): Json {
  if (value === undefined || value === null) return null
  switch (type.kind) {
    case 'list': {
      const { item } = type
      return Array.isArray(value)
        ? value.map((one) => conformed(one, item))
        : [conformed(value, item)]
    }
    case 'struct': {
      if (!isObject(value)) return null
      const members: Record<string, Json> = {}
      for (const { name, type: own } of type.members) {
        // A member that is left out reads as null.
        if (Object.hasOwn(value, name)) members[name] = conformed(value[name], own)
      }
      return members
    }
    case 'text':
      // JSON can escape a lone surrogate, but Parquet text must be valid Unicode.
      return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value)
    default:
      return value
  }
}
