import { EngineError } from '../../../shared/errors.ts'
import { parseEndpoint } from './endpoint.ts'
import type { Column, Mapping, SchemaInput, StagingSchema, StagingTable } from './model.ts'

/** A problem with an entity that can be found without looking at other tables. */
interface Issue {
  /** Path of the member, such as `mappings[0].tables[2].id` or `rows[14][3]`. */
  readonly at: string
  /** One sentence that names the member. */
  readonly message: string
}

/** Valid names of algorithms, versions, schemas and tables (registry.md 7.3). */
const NAME = /^[A-Za-z0-9._-]{1,128}$/
const NAME_RULE = 'give 1 to 128 of A-Z, a-z, 0-9, ".", "_" and "-"'

/** Tables that every algorithm must have, each with one INPUT column (registry.md rule 2). */
export const CODE_TABLES = ['primary_site', 'histology'] as const

function issue(at: string, what: string): Issue {
  return { at, message: `"${at}" ${what}` }
}

/**
 * Checks the name of an algorithm, version, schema or table (registry.md 7.3).
 * @throws EngineError `bad_input` if it is not allowed
 */
export function checkName(name: string, at: string): void {
  if (!NAME.test(name))
    throw new EngineError('bad_input', `"${at}" is no name; ${NAME_RULE}`, { at })
}

/**
 * Checks a schema by itself (registry.md 4.10, 7.6).
 * @throws EngineError `bad_input` with the first issue
 */
export function checkSchema(schema: StagingSchema): void {
  throwFirst(schemaIssues(schema))
}

/**
 * Checks a table by itself (registry.md 4.10, 7.6).
 * @throws EngineError `bad_input` with the first issue
 */
export function checkTable(table: StagingTable): void {
  throwFirst(tableIssues(table))
}

function throwFirst([first]: readonly Issue[]): void {
  if (first) throw new EngineError('bad_input', first.message, { at: first.at })
}

/** Returns all issues of a schema by itself. */
export function schemaIssues(schema: StagingSchema): Issue[] {
  const { inputs, outputs = [], mappings = [], schema_discriminators = [] } = schema
  const inputKeys = new Set(inputs.map(({ key }) => key))
  return [
    ...(NAME.test(schema.id) ? [] : [issue('id', `is no name; ${NAME_RULE}`)]),
    ...emptyText(schema.schema_selection_table, 'schema_selection_table'),
    ...keyIssues(inputs, 'inputs'),
    ...inputs.flatMap(inputIssues),
    ...['site', 'hist']
      .filter((key) => !inputKeys.has(key))
      .map((key) => issue('inputs', `lacks an input with the key "${key}"`)),
    ...keyIssues(outputs, 'outputs'),
    ...mappingIdIssues(mappings),
    ...mappings.flatMap((mapping, i) => initialIssues(mapping, `mappings[${i}]`, inputKeys)),
    ...schema_discriminators.flatMap((key, i) =>
      inputKeys.has(key)
        ? []
        : [issue(`schema_discriminators[${i}]`, `is "${key}", which is no input of the schema`)],
    ),
  ]
}

function inputIssues({ default: plain, default_table }: SchemaInput, i: number): Issue[] {
  if (plain === undefined || default_table === undefined) return []
  return [issue(`inputs[${i}].default_table`, 'is given together with "default"; give one of them')]
}

function mappingIdIssues(mappings: readonly Mapping[]): Issue[] {
  const before = new Set<string>()
  return mappings.flatMap(({ id }, i) => {
    if (id === undefined) return []
    if (before.has(id))
      return [issue(`mappings[${i}].id`, `is "${id}" as one before; give another`)]
    before.add(id)
    return []
  })
}

function initialIssues(
  { initial_context = [] }: Mapping,
  at: string,
  inputKeys: ReadonlySet<string>,
): Issue[] {
  return initial_context.flatMap(({ key }, i) =>
    inputKeys.has(key)
      ? [issue(`${at}.initial_context[${i}].key`, `is "${key}", which is an input of the schema`)]
      : [],
  )
}

/** Checks that keys are present and unique; `at` is the path of the list. */
function keyIssues(members: readonly { readonly key: string }[], at: string): Issue[] {
  const before = new Set<string>()
  return members.flatMap(({ key }, i) => {
    const place = `${at}[${i}].key`
    if (before.has(key)) return [issue(place, `is "${key}" as one before; give another`)]
    before.add(key)
    return emptyText(key, place)
  })
}

function emptyText(text: string, at: string): Issue[] {
  return text === '' ? [issue(at, 'is empty')] : []
}

/** Returns all issues of a table by itself. */
export function tableIssues({ id, definition, rows }: StagingTable): Issue[] {
  const issues = [
    ...(NAME.test(id) ? [] : [issue('id', `is no name; ${NAME_RULE}`)]),
    ...(definition.length === 0 ? [issue('definition', 'has no column')] : []),
    ...columnIssues(definition),
  ]
  const inputs = definition.filter(({ type }) => type === 'INPUT').length
  if (CODE_TABLES.some((name) => name === id) && inputs !== 1) {
    issues.push(issue('definition', `has ${inputs} INPUT columns; "${id}" has exactly one`))
  }
  for (const [row, cells] of rows.entries()) {
    if (cells.length === definition.length) continue
    const counts = `${cells.length} cells for ${definition.length} columns`
    issues.push(issue(`rows[${row}]`, `has ${counts}; give one for each`))
  }
  return [...issues, ...definition.flatMap((column, place) => cellIssues(column, place, rows))]
}

function columnIssues(definition: readonly Column[]): Issue[] {
  const before = new Set<string>()
  return definition.flatMap(({ key, type }, i) => {
    if (type === 'DESCRIPTION') return []
    const at = `definition[${i}].key`
    if (!key) return [issue(at, `is missing; every ${type} column has a key`)]
    // A key may be both an INPUT and an ENDPOINT, as in some published tables.
    const name = `${type} ${key}`
    if (before.has(name)) return [issue(at, `is "${key}" as that of another ${type} column`)]
    before.add(name)
    return []
  })
}

function cellIssues({ type }: Column, place: number, rows: StagingTable['rows']): Issue[] {
  const issues: Issue[] = []
  const sound = new Set<string>()
  for (const [row, cells] of rows.entries()) {
    const cell = cells[place]
    if (cell === undefined || (cell !== null && sound.has(cell))) continue
    const at = `rows[${row}][${place}]`
    if (cell === null) issues.push(issue(at, 'is no text; give a JSON string'))
    else {
      const wrong = type === 'ENDPOINT' ? endpointIssue(cell, at) : undefined
      if (wrong) issues.push(wrong)
      else sound.add(cell)
    }
  }
  return issues
}

function endpointIssue(cell: string, at: string): Issue | undefined {
  try {
    parseEndpoint(cell, at)
    return undefined
  } catch (error) {
    if (error instanceof EngineError) return { at, message: error.message }
    throw error
  }
}
