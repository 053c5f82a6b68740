import { readExactJson } from '../transactions/store/exact-json.ts'
import type { EntityDocument } from '../transactions/submitted.ts'
import type { GraphType } from './model.ts'
import { type Column, columnOf } from './sources.ts'

/** A row as a statement gives it. */
export type StoredRow = Readonly<Record<string, string | number | null>>

/** Something of the graph: columns, and properties where they were wanted. */
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
 * What a row says of a property, as GraphQL has values of its kind; null without any, and for what
 * is of another kind, as after a change of the dictionary.
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
