import { readExactJson } from '../transactions/store/exact-json.ts'
import type { EntityDocument } from '../transactions/submitted.ts'
import type { GraphType } from './model.ts'
import { type Column, columnOf } from './sources.ts'

/** A row of a statement. */
export type StoredRow = Readonly<Record<string, string | number | null>>

/** A node of the graph, with its properties if requested. */
export interface NodeRow {
  readonly id: string
  readonly type: string
  readonly columns: Readonly<Partial<Record<Column, string | number | null>>>
  readonly properties: EntityDocument
}

const NOTHING: EntityDocument = Object.freeze({})

export function nodeRow(columns: StoredRow): NodeRow {
  const { id, type, properties } = columns
  return {
    id: String(id),
    type: String(type),
    columns,
    properties:
      typeof properties === 'string' ? (readExactJson(properties) as EntityDocument) : NOTHING,
  }
}

/**
 * Returns a property of a row in the form of its GraphQL type. Null if there is no value, or if the dictionary
 * has changed and the value has another type.
 */
export function propertyOf(type: GraphType, name: string, row: NodeRow): unknown {
  const column = columnOf(type, name)
  const value = column === undefined ? row.properties[name] : row.columns[column]
  if (value === undefined || value === null) return null
  switch (type.properties.get(name)) {
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null
    case 'boolean':
      if (column !== undefined) return value === 1
      return typeof value === 'boolean' ? value : null
    case 'texts':
      return (Array.isArray(value) ? value : [value]).map(textOf)
    default:
      return textOf(value)
  }
}

function textOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
