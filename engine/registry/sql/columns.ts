import type { Value as Stored } from '../../shared/database/values.ts'
import type { Row } from './questions.ts'

/** The column that stores a member of an object. */
interface Column<Value> {
  readonly name: string
  read(stored: unknown): Value
  write(value: Value): Stored
}

/** Maps an object to columns, one per member. */
interface Columns<T> {
  readonly names: readonly string[]
  read(row: Row): T
  /** Returns the values in the order of the names. */
  values(value: T): Stored[]
}

/** Maps the members of an object to columns of a table. */
export function columnsOf<T extends object>(
  columns: {
    readonly [Member in keyof T]-?: Column<T[Member]>
  },
): Columns<T> {
  const members: readonly (readonly [string, Column<unknown>])[] = Object.entries(columns)
  return {
    names: members.map(([, { name }]) => name),
    read(row) {
      const value: Record<string, unknown> = {}
      for (const [member, column] of members) value[member] = column.read(row[column.name])
      return value as T
    },
    values: (value) => members.map(([member, { write }]) => write(value[member as keyof T])),
  }
}

/** Stores a value unchanged. */
export function plain<Value extends Stored>(name: string): Column<Value> {
  return { name, read: (stored) => stored as Value, write: (value) => value }
}

/** Stores undefined as null. */
export function optional<Value extends Stored>(name: string): Column<Value | undefined> {
  return {
    name,
    read: (stored) => (stored === null ? undefined : (stored as Value)),
    write: (value) => value ?? null,
  }
}

/** Stores true as 1 and false as 0. */
export function flag(name: string): Column<boolean> {
  return { name, read: (stored) => stored === 1, write: (value) => (value ? 1 : 0) }
}

/** Stores a value as JSON, and null as null. */
export function json<Value>(name: string): Column<Value> {
  return {
    name,
    read: (stored) => (stored === null ? null : JSON.parse(stored as string)) as Value,
    write: (value) => (value === null ? null : JSON.stringify(value)),
  }
}
