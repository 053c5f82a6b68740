import type {
  GlossaryTerm,
  Mapping,
  StagingSchema,
  StagingTable,
  TablePath,
} from '../algorithm/model.ts'

/** The type of each kind of entity. */
export interface EntityOf {
  readonly schema: StagingSchema
  readonly table: StagingTable
  readonly glossary: GlossaryTerm
}
export type Kind = keyof EntityOf
/** Kinds of entities that callers may edit. Glossary terms only come with archives. */
export type SchemaOrTable = Exclude<Kind, 'glossary'>
export type Entity = EntityOf[Kind]

export const KINDS: readonly Kind[] = ['schema', 'table', 'glossary']

/** Names a version of an algorithm. */
export interface VersionName {
  readonly algorithm: string
  readonly version: string
}

/**
 * Returns the JSON of an entity's own content, without members that are derived or set by the server. Equal
 * contents have equal texts, because readers use a fixed order of members.
 */
export function documentOf(entity: Entity): string {
  const { id: _id, last_modified: _modified, ...own } = entity
  if ('inputs' in own) return JSON.stringify(schemaContent(own))
  if ('rows' in own) {
    const { algorithm: _algorithm, version: _version, extra_input: _derived, ...content } = own
    return JSON.stringify(content)
  }
  return JSON.stringify(own)
}

type OwnSchema = Omit<StagingSchema, 'id' | 'last_modified'>

function schemaContent({ algorithm: _algorithm, version: _version, ...own }: OwnSchema) {
  const { involved_tables: _derived, mappings, ...content } = own
  return mappings ? { ...content, mappings: mappings.map(mappingContent) } : content
}

function mappingContent(mapping: Mapping): Mapping {
  const { inclusion_tables, exclusion_tables, tables, ...own } = mapping
  return {
    ...own,
    ...(inclusion_tables && { inclusion_tables: inclusion_tables.map(pathContent) }),
    ...(exclusion_tables && { exclusion_tables: exclusion_tables.map(pathContent) }),
    ...(tables && { tables: tables.map(pathContent) }),
  }
}

function pathContent({ inputs: _inputs, outputs: _outputs, ...path }: TablePath): TablePath {
  return path
}
