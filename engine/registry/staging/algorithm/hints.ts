import { boundRange, contains, parseCell } from './cell-ranges.ts'
import { codesOfTable, inputColumns, labelled } from './code-rows.ts'
import type { CompiledVersion } from './compiled-version.ts'
import { contextOf } from './context.ts'
import type { ErrorOrigin } from './evaluation.ts'
import { nameOf } from './item-names.ts'
import type { Cell, StagingSchema } from './model.ts'
import type {
  Discriminator,
  InputMap,
  SchemaChoice,
  StagingData,
  StagingError,
  StagingHints,
} from './result.ts'
import { unknownInputs } from './unknown-inputs.ts'
import { referencedKey } from './values.ts'

/**
 * Returns advice on a staged case, and for each error the outputs that it affects.
 * @param origins origins of the errors, in the same order
 */
export function hintsOn(
  version: CompiledVersion,
  { result, schema_id, input, errors }: StagingData,
  origins: readonly ErrorOrigin[],
): { readonly errors: readonly StagingError[]; readonly hints: StagingHints } {
  const warnings = [...unknownInputs(Object.keys(input), version.inputKeys)]
  const schema = schema_id === undefined ? undefined : version.content.schemas.get(schema_id)
  if (result === 'FAILED_NO_MATCHING_SCHEMA') warnings.push(...noSchema(version, input))
  if (result === 'FAILED_INVALID_YEAR_DX' && schema) warnings.push(wrongYear(version, schema))
  const { schemas, discriminators } = schema ? NOTHING : choicesFor(version, input)
  return {
    errors: schema ? withOutputs(version, schema, errors, origins) : errors,
    hints: {
      ...(warnings.length > 0 && { warnings }),
      ...(schemas.length > 0 && { schemas }),
      ...(discriminators.length > 0 && { discriminators }),
    },
  }
}

function withOutputs(
  version: CompiledVersion,
  schema: StagingSchema,
  errors: readonly StagingError[],
  origins: readonly ErrorOrigin[],
): readonly StagingError[] {
  const reach = version.reachOf(schema)
  return errors.map((error, i) => {
    const origin = origins[i]
    const outputs = origin ? reach.outputsOf(error, origin) : []
    return outputs.length > 0 ? { ...error, outputs } : error
  })
}

function* noSchema({ selection }: CompiledVersion, { site, hist }: InputMap): Generator<string> {
  if (site && !selection.isSite(site))
    yield 'the version has no such "site"; see its table "primary_site"'
  if (hist && !selection.isHistology(hist)) {
    yield 'the version has no such "hist"; see its table "histology"'
  }
}

/** Maximum number of table cells quoted in a sentence. */
const MAX_CELLS = 5

function wrongYear({ content }: CompiledVersion, { id, inputs }: StagingSchema): string {
  const year = inputs.find(({ key }) => key === 'year_dx')
  if (!year)
    return `schema "${id}" has no input "year_dx", so it cannot stage any case; add the input`
  const table = year.table === undefined ? undefined : content.tables.get(year.table)
  const codes = table ? codesOfTable(table, year.key) : []
  const cells = codes.slice(0, MAX_CELLS).map(({ code }) => code)
  const listed = [...cells, ...(codes.length > MAX_CELLS ? ['...'] : [])].join(', ')
  return `schema "${id}" takes no such "year_dx"; table "${year.table}" lists ${listed}`
}

const NOTHING = { schemas: [], discriminators: [] } as const

/**
 * Lists the schemas that may apply to a case, each by a row of its selection table, and the inputs that decide
 * between them. The rows match all inputs or, if no schema does, only site and histology.
 */
function choicesFor(
  version: CompiledVersion,
  input: InputMap,
): {
  readonly schemas: readonly SchemaChoice[]
  readonly discriminators: readonly Discriminator[]
} {
  const { site, hist } = input
  if (!site || !hist) return NOTHING
  const ids = version.selection.find(input)
  const candidates = ids.length > 0 ? ids : version.selection.find({ site, hist })
  // If no schema matches the other inputs, all choices for site and histology are listed.
  const given = ids.length > 0 ? input : { site, hist }
  const schemas = candidates.flatMap((id) => choicesOf(version, id, given))
  const open = schemas.flatMap(({ by }) => Object.keys(by).filter((key) => by[key] !== ANYTHING))
  const keys = [...new Set(open)]
  return { schemas, discriminators: keys.map((key) => discriminatorOf(version, candidates, key)) }
}

const ANYTHING = '*'

function choicesOf(version: CompiledVersion, id: string, given: InputMap): SchemaChoice[] {
  const schema = version.content.schemas.get(id)
  const table = schema && version.content.tables.get(schema.schema_selection_table)
  if (!schema || !table) return []
  const values = contextOf(version, given)
  const textOf = (key: string) => values[version.keys.find(key) ?? -1] ?? ''
  const columns = inputColumns(table)
  const rows = table.rows.filter((cells) =>
    columns.every(
      ([key, place]) =>
        !Object.hasOwn(given, key) || accepts(cells[place], given[key] ?? '', textOf),
    ),
  )
  const asked = columns.filter(([key]) => key !== 'site' && key !== 'hist')
  return rows.map((cells) => ({
    schema: id,
    ...(schema.name !== undefined && { name: schema.name }),
    by: Object.fromEntries(asked.map(([key, place]) => [key, cells[place] ?? ANYTHING])),
  }))
}

/** Returns whether a cell accepts a value (rules 4 to 8 of registry.md). */
function accepts(cell: Cell | undefined, value: string, textOf: (key: string) => string): boolean {
  const ranges = parseCell(cell)
  if (ranges === 'any') return true
  const bound = (text: string) => {
    const key = referencedKey(text)
    return key === undefined ? text : textOf(key)
  }
  return ranges.some(({ low, high }) => contains(boundRange(bound(low), bound(high)), value))
}

/** Describes an input that distinguishes schemas, with the values that it can have in any of them. */
function discriminatorOf(
  { content }: CompiledVersion,
  ids: readonly string[],
  key: string,
): Discriminator {
  const inputs = ids.flatMap((id) => content.schemas.get(id)?.inputs ?? [])
  const own = inputs.filter((input) => input.key === key)
  const tables = new Set(own.map(({ table }) => table).filter((table) => table !== undefined))
  const codes = [...tables].flatMap((id) => {
    const table = content.tables.get(id)
    return table ? codesOfTable(table, key) : []
  })
  const different = new Map(codes.map(({ code, label }) => [code, labelled(code, label)]))
  const [first] = own
  return {
    key,
    ...(first && nameOf(first)),
    ...(different.size > 0 && { codes: [...different.values()] }),
  }
}
