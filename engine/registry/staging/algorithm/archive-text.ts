import { isObject } from '../../../shared/input/unknowns.ts'
import type { GlossaryTerm, Mapping, StagingSchema, StagingTable, TablePath } from './model.ts'

/** How published archives order the members of schemas and tables, and of what is in them. */
const PUBLISHED_ORDER: readonly string[] = [
  ...['id', 'key', 'from', 'to', 'algorithm', 'version', 'name', 'start', 'end'],
  ...['type', 'source', 'title', 'subtitle', 'description', 'notes', 'footnotes'],
  ...['naaccr_item', 'naaccr_xml_id', 'default', 'default_table', 'table', 'used_for_staging'],
  ...['unit', 'decimal_places', 'metadata', 'schema_num', 'schema_selection_table'],
  ...['schema_discriminators', 'exclusion_tables', 'inclusion_tables', 'initial_context', 'tables'],
  ...['input_mapping', 'output_mapping', 'inputs', 'outputs', 'mappings', 'involved_tables'],
  ...['last_modified', 'on_invalid_input', 'definition', 'extra_input', 'rows'],
  ...['additional_info', 'coding_guidelines', 'rationale'],
]

type Ranks = ReadonlyMap<string, number>

const RANKS: Ranks = new Map(PUBLISHED_ORDER.map((name, rank) => [name, rank]))
const AS_GIVEN: Ranks = new Map()

/** A schema with its derived members, as published archives write it. */
export function schemaText(schema: StagingSchema): string {
  const { mappings } = schema
  return written(mappings ? { ...schema, mappings: mappings.map(withoutEmpty) } : schema, RANKS)
}

/** A table with its derived members, as published archives write it. */
export function tableText(table: StagingTable): string {
  return written(table, RANKS)
}

/** A term, as published archives write it. Its id is the name of its file. */
export function termText({ id: _id, ...term }: GlossaryTerm): string {
  return written(term, AS_GIVEN)
}

/** Derived lists without a key are left out. */
function withoutEmpty(mapping: Mapping): Mapping {
  const { inclusion_tables, exclusion_tables, tables, ...own } = mapping
  const path = ({ inputs = [], outputs = [], ...rest }: TablePath): TablePath => ({
    ...rest,
    ...(inputs.length > 0 && { inputs }),
    ...(outputs.length > 0 && { outputs }),
  })
  return {
    ...own,
    ...(inclusion_tables && { inclusion_tables: inclusion_tables.map(path) }),
    ...(exclusion_tables && { exclusion_tables: exclusion_tables.map(path) }),
    ...(tables && { tables: tables.map(path) }),
  }
}

/** JSON with a line for each member and lists on one, as the publisher's tool (Jackson) writes it. */
function written(value: unknown, ranks: Ranks, indent = ''): string {
  if (Array.isArray(value)) {
    const elements = value.map((element) => written(element, ranks, indent))
    return elements.length === 0 ? '[ ]' : `[ ${elements.join(', ')} ]`
  }
  if (!isObject(value)) return JSON.stringify(value)
  const rankOf = (name: string) => ranks.get(name) ?? ranks.size
  const deeper = `${indent}  `
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([name, member]) => `\n${deeper}"${name}" : ${written(member, ranks, deeper)}`)
  return `{${members.join()}\n${indent}}`
}
