import { Derivation, namedTables } from './derive.ts'
import { emptyRanges, validSites } from './empty-ranges.ts'
import type { StagingSchema, TablePath, VersionContent } from './model.ts'
import { CODE_TABLES } from './validate.ts'

/**
 * A reference that leads nowhere, or not where it should, or a range that nothing matches. Such a version can be used, and staging
 * answers errors as rules 24, 28 and 29 say (registry.md 7.6).
 */
export interface ReferenceFinding {
  readonly kind: 'schema' | 'table'
  /** Of the schema or table that has the reference; of a table that has to be there. */
  readonly id: string
  /** The member: `mappings[0].tables[2].id`, `rows[3]`, from 0. Left out for the whole of it. */
  readonly at?: string
  readonly message: string
}

type Entities = Pick<VersionContent, 'schemas' | 'tables'>

/**
 * All references of a version that lead nowhere and ranges that nothing matches, schemas first, in order of id; step by step.
 * @param derivation of these tables, which may have read some of them already
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
 * For each table that schemas use, at once or by jumps, their ids, ascending (registry.md 2.1). A
 * table that a schema names counts though it is not there. Step by step.
 * @param derivation of these tables, which may have read some of them already
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

/** Each place of a schema that names a table, and the name. */
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
