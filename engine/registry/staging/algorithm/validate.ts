import { EngineError } from '../../../shared/errors.ts'
import { parseEndpoint } from './endpoint.ts'
import type { Column, Mapping, SchemaInput, StagingSchema, StagingTable } from './model.ts'

/** What is wrong with an entity by itself, whatever tables there are. */
export interface Fault {
  /** The member: `mappings[0].tables[2].id`, `rows[14][3]`. */
  readonly at: string
  /** One sentence that names the member. */
  readonly message: string
}

/** Names of algorithms, versions, schemas and tables (registry.md 7.3). */
const NAME = /^[A-Za-z0-9._-]{1,128}$/
const NAME_RULE = 'give 1 to 128 of A-Z, a-z, 0-9, ".", "_" and "-"'

/** Every algorithm has them, with one INPUT column (rule 2). */
export const CODE_TABLES = ['primary_site', 'histology'] as const

function fault(at: string, problem: string): Fault {
  return { at, message: `"${at}" ${problem}` }
}

/**
 * Refuses a name that no algorithm, version, schema or table may have (registry.md 7.3).
 * @throws EngineError bad_input
 */
export function checkName(name: string, at: string): void {
  if (!NAME.test(name))
    throw new EngineError('bad_input', `"${at}" is no name; ${NAME_RULE}`, { at })
}

/**
 * Refuses a schema that is wrong by itself (registry.md 4.10, 7.6).
 * @throws EngineError bad_input with the first fault
 */
export function checkSchema(schema: StagingSchema): void {
  refuseFirst(schemaFaults(schema))
}

/**
 * Refuses a table that is wrong by itself (registry.md 4.10, 7.6).
 * @throws EngineError bad_input with the first fault
 */
export function checkTable(table: StagingTable): void {
  refuseFirst(tableFaults(table))
}

function refuseFirst([first]: readonly Fault[]): void {
  if (first) throw new EngineError('bad_input', first.message, { at: first.at })
}

/** All that is wrong with a schema by itself. */
export function schemaFaults(schema: StagingSchema): Fault[] {
  const { inputs, outputs = [], mappings = [], schema_discriminators = [] } = schema
  const inputKeys = new Set(inputs.map(({ key }) => key))
  return [
    ...(NAME.test(schema.id) ? [] : [fault('id', `is no name; ${NAME_RULE}`)]),
    ...emptyText(schema.schema_selection_table, 'schema_selection_table'),
    ...keyFaults(inputs, 'inputs'),
    ...inputs.flatMap(inputFaults),
    ...['site', 'hist']
      .filter((key) => !inputKeys.has(key))
      .map((key) => fault('inputs', `lacks an input with the key "${key}"`)),
    ...keyFaults(outputs, 'outputs'),
    ...mappingIdFaults(mappings),
    ...mappings.flatMap((mapping, i) => initialFaults(mapping, `mappings[${i}]`, inputKeys)),
    ...schema_discriminators.flatMap((key, i) =>
      inputKeys.has(key)
        ? []
        : [fault(`schema_discriminators[${i}]`, `is "${key}", which is no input of the schema`)],
    ),
  ]
}

function inputFaults({ default: plain, default_table }: SchemaInput, i: number): Fault[] {
  if (plain === undefined || default_table === undefined) return []
  return [fault(`inputs[${i}].default_table`, 'stands beside "default"; give one of the two')]
}

function mappingIdFaults(mappings: readonly Mapping[]): Fault[] {
  const before = new Set<string>()
  return mappings.flatMap(({ id }, i) => {
    if (id === undefined) return []
    if (before.has(id))
      return [fault(`mappings[${i}].id`, `is "${id}" as one before; give another`)]
    before.add(id)
    return []
  })
}

function initialFaults(
  { initial_context = [] }: Mapping,
  at: string,
  inputKeys: ReadonlySet<string>,
): Fault[] {
  return initial_context.flatMap(({ key }, i) =>
    inputKeys.has(key)
      ? [fault(`${at}.initial_context[${i}].key`, `is "${key}", which is an input of the schema`)]
      : [],
  )
}

/** Keys have to be there and to differ; `at` is the list's place. */
function keyFaults(members: readonly { readonly key: string }[], at: string): Fault[] {
  const before = new Set<string>()
  return members.flatMap(({ key }, i) => {
    const place = `${at}[${i}].key`
    if (before.has(key)) return [fault(place, `is "${key}" as one before; give another`)]
    before.add(key)
    return emptyText(key, place)
  })
}

function emptyText(text: string, at: string): Fault[] {
  return text === '' ? [fault(at, 'is empty')] : []
}

/** All that is wrong with a table by itself. */
export function tableFaults({ id, definition, rows }: StagingTable): Fault[] {
  const faults = [
    ...(NAME.test(id) ? [] : [fault('id', `is no name; ${NAME_RULE}`)]),
    ...(definition.length === 0 ? [fault('definition', 'has no column')] : []),
    ...columnFaults(definition),
  ]
  const inputs = definition.filter(({ type }) => type === 'INPUT').length
  if (CODE_TABLES.some((name) => name === id) && inputs !== 1) {
    faults.push(fault('definition', `has ${inputs} INPUT columns; "${id}" has exactly one`))
  }
  for (const [row, cells] of rows.entries()) {
    if (cells.length === definition.length) continue
    const counts = `${cells.length} cells for ${definition.length} columns`
    faults.push(fault(`rows[${row}]`, `has ${counts}; give one for each`))
  }
  return [...faults, ...definition.flatMap((column, place) => cellFaults(column, place, rows))]
}

function columnFaults(definition: readonly Column[]): Fault[] {
  const before = new Set<string>()
  return definition.flatMap(({ key, type }, i) => {
    if (type === 'DESCRIPTION') return []
    const at = `definition[${i}].key`
    if (!key) return [fault(at, `is missing; every ${type} column has a key`)]
    // A key may be both an INPUT and an ENDPOINT: published tables have that.
    const name = `${type} ${key}`
    if (before.has(name)) return [fault(at, `is "${key}" as that of another ${type} column`)]
    before.add(name)
    return []
  })
}

function cellFaults({ type }: Column, place: number, rows: StagingTable['rows']): Fault[] {
  const faults: Fault[] = []
  const sound = new Set<string>()
  for (const [row, cells] of rows.entries()) {
    const cell = cells[place]
    if (cell === undefined || (cell !== null && sound.has(cell))) continue
    const at = `rows[${row}][${place}]`
    if (cell === null) faults.push(fault(at, 'is no text; give a JSON string'))
    else {
      const wrong = type === 'ENDPOINT' ? endpointFault(cell, at) : undefined
      if (wrong) faults.push(wrong)
      else sound.add(cell)
    }
  }
  return faults
}

function endpointFault(cell: string, at: string): Fault | undefined {
  try {
    parseEndpoint(cell, at)
    return undefined
  } catch (error) {
    if (error instanceof EngineError) return { at, message: error.message }
    throw error
  }
}
