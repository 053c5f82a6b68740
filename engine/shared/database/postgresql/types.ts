import pg, { type CustomTypesConfig } from 'pg'
import type { Value } from '../values.ts'
import { integerOf } from '../values.ts'

const BYTEA = 17

const readers: Readonly<Record<number, (text: string) => Value>> = {
  16: (text) => (text === 't' ? 1 : 0), // bool
  [BYTEA]: (text) => new Uint8Array(pg.types.getTypeParser(BYTEA)(text)),
  20: integerOf, // int8
  21: integerOf, // int2
  23: integerOf, // int4
  700: Number, // float4
  701: Number, // float8
  // numeric, the type of integer sums and of means
  1700: (text) => (text.includes('.') ? Number(text) : integerOf(text)),
}

/** Parsers that return values as SQLite does, keyed by type id (pg_type.dat). Other types become text. */
export const TYPES: CustomTypesConfig = {
  getTypeParser: (type: number) => readers[type] ?? ((text: string) => text),
}

/** Encodes a parameter for PostgreSQL. */
export function written(value: Value): string | Buffer | null {
  if (typeof value === 'number') return String(value === 0 ? 0 : value)
  if (value === null || typeof value === 'string') return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}
