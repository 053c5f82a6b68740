import { Derivation, namedTables } from './derive.ts'
import { emptyRanges, validSites } from './empty-ranges.ts'
import type { StagingSchema, TablePath, VersionContent } from './model.ts'
import { CODE_TABLES } from './validate.ts'

/**
 * A reference to something missing or unsuitable, or a range that nothing matches. The version can still be
 * used, and staging reports errors by rules 24, 28 and 29 (registry.md 7.6).
 */
export interface ReferenceFinding {
  readonly kind: 'schema' | 'table'
  /** Id of the schema or table with the reference, or of a required table that is missing. */
  readonly id: string
  /**
   * Path of the member with the problem, with 0-based indexes, such as `mappings[0].tables[2].id`, `rows[3]`.
   * Absent if it is about the whole schema or table.
   */
  readonly at?: string
  readonly message: string
}

type Entities = Pick<VersionContent, 'schemas' | 'tables'>

/**
 * Finds broken references and ranges that match nothing, first in schemas and then in tables, each ordered by
 * id. Runs in steps.
 * @param derivation derivation of these tables, which may already have cached facts
 */
export function* findings(
  { schemas, tables }: Entities,
  derivation = new Derivation(tables),
): Generator<undefined, ReferenceFinding[]> {
  const found: ReferenceFinding[] = []
  for (const schema of sortedById(schemas.values())) {
    found.push(...schemaFindings(schema, derivation))
    yield
  }
  for (const id of CODE_TABLES) {
    if (tables.has(id)) continue
    const message = 'every algorithm has this table, but it is not there'
    found.push({ kind: 'table', id, message })
  }
  const sites = validSites(tables)
  for (const table of sortedById(tables.values())) {
    found.push(...tableFindings(table.id, derivation), ...emptyRanges(table, sites))
    yield
  }
  return found
}

/**
 * Lists for each table the ids of the schemas that use it directly or by jumps, in ascending order (registry.md
 * 2.1). A table that a schema names counts even if it is missing. Runs in steps.
 * @param derivation derivation of these tables, which may already have cached facts
 */
export function* tableUses(
  { schemas, tables }: Entities,
  derivation = new Derivation(tables),
): Generator<undefined, ReadonlyMap<string, string[]>> {
  const uses = new Map<string, string[]>()
  for (const schema of sortedById(schemas.values())) {
    for (const table of new Set([...namedTables(schema), ...derivation.involvedTables(schema)])) {
      const users = uses.get(table) ?? []
      users.push(schema.id)
      uses.set(table, users)
    }
    yield
  }
  return uses
}

function sortedById<T extends { readonly id: string }>(entities: Iterable<T>): T[] {
  return [...entities].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function schemaFindings(schema: StagingSchema, derivation: Derivation): ReferenceFinding[] {
  const { id, inputs } = schema
  const found = (at: string, message: string) => ({ kind: 'schema' as const, id, at, message })
  const missing = references(schema)
    .filter(([, table]) => !derivation.inputColumns(table))
    .map(([at, table]) => found(at, `table "${table}" is not there`))
  const keyless = inputs.flatMap(({ key, table }, i) => {
    const columns = table === undefined ? undefined : derivation.inputColumns(table)
    if (!columns || columns.includes(key)) return []
    return [found(`inputs[${i}].table`, `table "${table}" has no INPUT column "${key}"`)]
  })
  const keys = new Set(inputs.map(({ key }) => key))
  const unknown = derivation.stagingInputs(schema).filter((key) => !keys.has(key))
  const asked = unknown.map((key) =>
    found('inputs', `staging asks for "${key}", which is no input`),
  )
  return [...missing, ...keyless, ...asked]
}

/** Returns each place in a schema that names a table, and the name. */
function references({ inputs, outputs = [], ...schema }: StagingSchema): [string, string][] {
  const { mappings = [], schema_selection_table } = schema
  const places: [string, string | undefined][] = [
    ['schema_selection_table', schema_selection_table],
    ...inputs.flatMap(({ table, default_table }, i): [string, string | undefined][] => [
      [`inputs[${i}].table`, table],
      [`inputs[${i}].default_table`, default_table],
    ]),
    ...outputs.map(({ table }, i): [string, string | undefined] => [`outputs[${i}].table`, table]),
    ...mappings.flatMap(({ inclusion_tables, exclusion_tables, tables }, i) => [
      ...pathPlaces(`mappings[${i}].inclusion_tables`, inclusion_tables),
      ...pathPlaces(`mappings[${i}].exclusion_tables`, exclusion_tables),
      ...pathPlaces(`mappings[${i}].tables`, tables),
    ]),
  ]
  return places.filter((place): place is [string, string] => place[1] !== undefined)
}

function pathPlaces(at: string, paths: readonly TablePath[] = []): [string, string][] {
  return paths.map(({ id }, i) => [`${at}[${i}].id`, id])
}

function tableFindings(id: string, derivation: Derivation): ReferenceFinding[] {
  const found = (message: string) => ({ kind: 'table' as const, id, message })
  const jumps = derivation.jumpsOf(id)
  if (jumps.length === 0) return []
  const missing = jumps
    .filter((target) => !derivation.inputColumns(target))
    .map((target) => found(`a row jumps to table "${target}", which is not there`))
  const isCircle = derivation.reachedFrom(id).has(id)
  return [...missing, ...(isCircle ? [found('its jumps lead back to it')] : [])]
}
