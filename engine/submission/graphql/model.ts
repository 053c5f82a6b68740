import type { Dictionary } from '../dictionary/dictionary.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import type { Property } from '../dictionary/property.ts'
import { referenceKey } from '../transactions/reference-types.ts'

/** Kind of a property's values in queries. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'texts'

/** Where the rows of a type are stored. */
export type Origin = 'entity' | 'project' | 'program' | 'reference'

/** A link, as seen from the child or from the parent. */
export interface Neighbour {
  readonly field: string
  /** Whether the field leads to parents or to children. */
  readonly side: 'parents' | 'children'
  readonly type: string
  /** Name of the link as stored. */
  readonly link: string
}

export interface GraphType {
  readonly name: string
  readonly category: string
  readonly origin: Origin
  readonly description: string
  readonly properties: ReadonlyMap<string, ValueKind>
  readonly descriptions: ReadonlyMap<string, string>
  /** Neighbours by field name. */
  readonly neighbours: ReadonlyMap<string, Neighbour>
}

/** The types, properties and links that queries can use. Plain data, which can be sent to a worker thread. */
export interface GraphModel {
  readonly types: ReadonlyMap<string, GraphType>
  /** Dictionary entries of the types, as texts. */
  readonly entries: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/** Properties of every type (submission.md 15.1). */
export const NODE_PROPERTIES = Object.freeze([
  'id',
  'submitter_id',
  'type',
  'project_id',
  'created_datetime',
  'updated_datetime',
] as const)

/** Type names that the GraphQL schema defines itself. */
const TAKEN: ReadonlySet<string> = new Set([
  'String',
  'Int',
  'Float',
  'Boolean',
  'ID',
  'Root',
  'Viewer',
  'Node',
  'DataNode',
  'NodeType',
  'WithPathTo',
  'node',
  'datanode',
  'viewer',
  'transaction_log',
])
const NAME = /^[A-Za-z][A-Za-z0-9_]*$/

/** Builds the model. Links, properties and types whose names are not valid in GraphQL are left out. */
export function graphModel(dictionary: Dictionary): GraphModel {
  const all = [...dictionary.types.values()]
  const types = all.filter(
    ({ name }) => NAME.test(name) && !TAKEN.has(name) && !name.startsWith('Transaction'),
  )
  const known = new Set(types.map(({ name }) => name))
  return {
    types: new Map(types.map((type) => [type.name, graphType(type, types, known)])),
    entries: new Map(types.map(({ name, schema }) => [name, textsOf(schema)])),
  }
}

function graphType(
  type: EntityType,
  types: readonly EntityType[],
  known: ReadonlySet<string>,
): GraphType {
  const properties = new Map<string, ValueKind>()
  const descriptions = new Map<string, string>()
  const { properties: schemas } = type.schema as { properties?: Record<string, unknown> }
  for (const [name, property] of type.properties) {
    if (type.links.has(name) || !NAME.test(name)) continue
    properties.set(name, kindOf(property))
    descriptions.set(name, textIn(schemas?.[name], 'description'))
  }
  for (const name of NODE_PROPERTIES) if (!properties.has(name)) properties.set(name, 'text')
  const neighbours = new Map<string, Neighbour>()
  for (const one of neighboursOf(type, types)) {
    const { field } = one
    if (!known.has(one.type) || !NAME.test(field)) continue
    // If the field name of a neighbour is already used, the neighbour has no field of its own. It is only
    // included in `_links`.
    if (!properties.has(field) && !neighbours.has(field)) neighbours.set(field, one)
  }
  const { name, category } = type
  const description = textIn(type.schema, 'description')
  return {
    name,
    category,
    origin: originOf(type),
    description,
    properties,
    descriptions,
    neighbours,
  }
}

function originOf(type: EntityType): Origin {
  if (type.name === 'project' || type.name === 'program') return type.name
  return referenceKey(type) === undefined ? 'entity' : 'reference'
}

function* neighboursOf(type: EntityType, types: readonly EntityType[]): Iterable<Neighbour> {
  for (const { name, target } of type.links.values()) {
    yield { field: name, side: 'parents', type: target, link: name }
  }
  for (const child of types) {
    for (const { name, target, backref } of child.links.values()) {
      if (target !== type.name) continue
      yield { field: backref, side: 'children', type: child.name, link: name }
    }
  }
}

function kindOf(property: Property): ValueKind {
  const kinds = new Set<string>(kindsOf(property))
  if (kinds.has('array')) return 'texts'
  if (kinds.has('string') || kinds.has('object')) return 'text'
  if (kinds.has('integer') || kinds.has('number')) return kinds.has('boolean') ? 'text' : 'number'
  return kinds.has('boolean') ? 'boolean' : 'text'
}

function* kindsOf({ kinds, values, alternatives }: Property): Iterable<string> {
  yield* kinds ?? []
  for (const value of values ?? []) if (value !== null) yield typeof value
  for (const one of alternatives ?? []) yield* kindsOf(one)
}

function textsOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const named = Object.entries(schema).filter(([name]) => NAME.test(name))
  return Object.fromEntries(
    named.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

function textIn(value: unknown, name: string): string {
  const found = (value as Readonly<Record<string, unknown>> | undefined)?.[name]
  return typeof found === 'string' ? found : ''
}
