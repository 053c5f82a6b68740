import { isObject } from '../../../shared/input/unknowns.ts'
import type { GlossaryTerm, Mapping, StagingSchema, StagingTable, TablePath } from './model.ts'

/** Order of the members of schemas and tables, and of their parts, in published archives. */
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

/** Formats a schema with its derived members, as in published archives. */
export function schemaText(schema: StagingSchema): string {
  const { mappings } = schema
  return written(mappings ? { ...schema, mappings: mappings.map(withoutEmpty) } : schema, RANKS)
}

/** Formats a table with its derived members, as in published archives. */
export function tableText(table: StagingTable): string {
  return written(table, RANKS)
}

/** Formats a term as in published archives. Its id is the file name. */
export function termText({ id: _id, ...term }: GlossaryTerm): string {
  return written(term, AS_GIVEN)
}

/** Leaves out derived lists that are empty. */
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

/** Formats JSON with one member per line and lists on a single line, as the publisher's tool (Jackson) does. */
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
