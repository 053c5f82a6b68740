import type {
  GlossaryTerm,
  Mapping,
  StagingSchema,
  StagingTable,
  TablePath,
} from '../algorithm/model.ts'

/** What each kind of entity is. */
export interface EntityOf {
  readonly schema: StagingSchema
  readonly table: StagingTable
  readonly glossary: GlossaryTerm
}
export type Kind = keyof EntityOf
/** What callers edit; terms of the glossary come with archives. */
export type SchemaOrTable = Exclude<Kind, 'glossary'>
export type Entity = EntityOf[Kind]

export const KINDS: readonly Kind[] = ['schema', 'table', 'glossary']

/** One version of one algorithm. */
export interface VersionName {
  readonly algorithm: string
  readonly version: string
}

/**
 * The JSON of an entity's own content. Equal content is equal text: readers give members in one
 * order. What the server sets and what follows from other members is left out.
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
