import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicData } from '../../../fixtures/public-data.ts'

// The published data dictionary as facts, changed as the release notes of later versions say (submission.md 4).
// docs/adr/0043-dictionary.md decides what the notes leave open.

const CONTRACT = publicData('contract')

export type Schema = Record<string, unknown> & { enum?: string[]; items?: Schema }

export interface Node {
  readonly category: string
  readonly submittable: boolean
  readonly downloadable: boolean
  readonly previous_version_downloadable: boolean
  readonly additionalProperties: boolean
  required: string[]
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly systemProperties: readonly string[]
  deprecated: string[]
  readonly links: readonly unknown[]
  readonly properties: Record<string, Schema>
  readonly templateColumns?: readonly string[]
}

interface Facts {
  readonly nodes: Record<string, Node>
  readonly enums: Readonly<Record<string, readonly string[]>>
}

interface ValueChanges {
  readonly added?: readonly string[]
  readonly removed?: readonly string[]
  readonly deprecated?: readonly string[]
}

interface TypeChanges {
  readonly newProperties?: Readonly<Record<string, { readonly values: readonly string[] }>>
  readonly deprecatedProperties?: readonly string[]
  readonly removedProperties?: readonly string[]
  readonly requiredAdded?: readonly string[]
  readonly requiredRemoved?: readonly string[]
  readonly values?: Readonly<Record<string, ValueChanges>>
  readonly linksAddedToSubgroup?: readonly string[]
  readonly bulk?: readonly {
    readonly op: 'addValues' | 'removeKeyword' | 'bounds'
    readonly arg: readonly string[]
    readonly properties: readonly string[]
  }[]
}

interface Changes {
  readonly about: { readonly order: readonly string[] }
  readonly releases: Readonly<
    Record<
      string,
      {
        readonly newEntities: readonly string[]
        readonly entities: Readonly<Record<string, TypeChanges>>
      }
    >
  >
  readonly checkAgainstBase: readonly (readonly string[])[]
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(CONTRACT, name), 'utf8')) as T
}

interface VectorIndex {
  readonly vectors: readonly {
    readonly file: string
    readonly code?: number
    readonly http?: string
    readonly note?: string
    readonly error_types?: readonly string[]
    readonly schema_errors_3_0_3?: readonly (readonly string[])[]
  }[]
}

export function readVectorIndex(): VectorIndex['vectors'] {
  return read<VectorIndex>('submission-vectors/index.json').vectors
}

/** The text of a vector for a parser. */
export function readVectorText(name: string): Buffer {
  return readFileSync(join(CONTRACT, 'submission-vectors', name))
}

/** The dictionary before the changes, as files of a folder. */
export function publishedFiles({ before }: Published): ReadonlyMap<string, string> {
  const parent = { anyOf: [{ type: 'array', items: { type: 'object' } }, { type: 'object' }] }
  const files = Object.entries(before).map(([id, node]) => {
    const {
      templateColumns: _,
      inSeed: __,
      properties,
      ...facts
    } = node as Node & { inSeed: unknown }
    const schemas = Object.entries(properties).map(([name, schema]) => [
      name,
      schema.link ? parent : schema,
    ])
    const type = { id, type: 'object', ...facts, properties: Object.fromEntries(schemas) }
    // JSON is valid YAML.
    return [`${id}.yaml`, JSON.stringify(type)] as const
  })
  return new Map(files)
}

/** A recorded request of the public service with its answer, or a text for a parser. */
export function readVector(name: string): unknown {
  return read(join('submission-vectors', name))
}

interface Published {
  readonly nodes: Readonly<Record<string, Node>>
  /** The types before the changes. */
  readonly before: Readonly<Record<string, Node>>
  /** The changes that are too vague to apply, in order. */
  readonly open: readonly (readonly string[])[]
  /** The changes that are listed as open. */
  readonly listed: readonly (readonly string[])[]
}

export function readPublished(): Published {
  const { nodes, enums } = read<Facts>('dictionary-facts.json')
  for (const node of Object.values(nodes)) {
    for (const schema of Object.values(node.properties)) inline(schema, enums)
  }
  const before = structuredClone(nodes)
  const changes = read<Changes>('dictionary-changes.json')
  const open: string[][] = []
  const kinds = kindsOfSearch()
  for (const release of changes.about.order) {
    const { newEntities = [], entities = {} } = changes.releases[release] ?? {}
    for (const type of newEntities) open.push([release, type, 'links are not published'])
    for (const [type, change] of Object.entries(entities)) {
      const node = nodes[type]
      if (node) apply(node, change, kinds, (...what) => open.push([release, type, ...what]))
      else open.push([release, type, 'is no type'])
    }
  }
  return { nodes, before, open, listed: changes.checkAgainstBase }
}

function inline(schema: Schema, enums: Facts['enums']): void {
  const { enumRef } = schema
  if (typeof enumRef === 'string') {
    schema.enum = [...(enums[enumRef] ?? [])]
    delete schema.enumRef
    delete schema.enumCount
  }
  if (schema.items) inline(schema.items, enums)
}

type Note = (...what: string[]) => void

function apply(node: Node, change: TypeChanges, kinds: Kinds, note: Note): void {
  const { properties } = node
  const links = change.linksAddedToSubgroup ?? []
  for (const [name, { values }] of Object.entries(change.newProperties ?? {})) {
    if (links.includes(name)) note(name, 'leads to a type without published links')
    else properties[name] ??= values.length > 0 ? { enum: [...values] } : untold(name, kinds)
  }
  for (const name of change.deprecatedProperties ?? []) {
    const schema = properties[name]
    if (schema) schema.deprecated = true
    else note(name, 'is no property')
    if (!node.deprecated.includes(name)) node.deprecated.push(name)
  }
  for (const name of change.removedProperties ?? []) {
    if (!properties[name]) note(name, 'is no property')
    delete properties[name]
    node.deprecated = node.deprecated.filter((one) => one !== name)
  }
  node.required.push(...(change.requiredAdded ?? []))
  node.required = node.required.filter((name) => !change.requiredRemoved?.includes(name))
  for (const [name, values] of Object.entries(change.values ?? {})) {
    applyValues(properties[name], values, name, note)
  }
  for (const { op, arg, properties: names } of change.bulk ?? []) {
    // The notes do not tell the limits, so none are set.
    if (op === 'bounds') continue
    for (const name of names) {
      const schema = properties[name]
      if (op === 'addValues') applyValues(schema, { added: arg }, name, note)
      else for (const keyword of arg) delete schema?.[keyword]
    }
  }
}

function applyValues(
  schema: Schema | undefined,
  { added = [], removed = [], deprecated = [] }: ValueChanges,
  name: string,
  note: Note,
): void {
  const holder = schema?.items ?? schema
  if (!schema || !holder?.enum) {
    note('property has no enum', name)
    return
  }
  for (const value of removed) {
    if (!holder.enum.includes(value)) note(name, 'removed value absent', value)
  }
  const gone = new Set(removed)
  holder.enum = [...new Set([...holder.enum, ...added])].filter((value) => !gone.has(value))
  const before = (schema.deprecated_enum ?? []) as readonly string[]
  const old = [...new Set([...before, ...deprecated])].filter((value) => !gone.has(value))
  if (old.length > 0) schema.deprecated_enum = old
  else delete schema.deprecated_enum
}

type Kinds = ReadonlyMap<string, string>

/** A property whose type was not published gets that of its search field. */
function untold(name: string, kinds: Kinds): Schema {
  if (name.endsWith('_array')) return { type: 'array', items: { type: 'string' } }
  return { type: { k: 'string', d: 'number', l: 'integer' }[kinds.get(name) ?? ''] }
}

type Fields = { readonly [name: string]: string | Fields }

function kindsOfSearch(): Kinds {
  const kinds = new Map<string, string>()
  const collect = (fields: Fields) => {
    for (const [name, field] of Object.entries(fields)) {
      if (typeof field === 'string') kinds.set(name, field)
      else collect(field)
    }
  }
  const { endpoints } = read<{ endpoints: Record<string, { fields?: Fields }> }>('fields.json')
  for (const { fields = {} } of Object.values(endpoints)) collect(fields)
  return kinds
}
