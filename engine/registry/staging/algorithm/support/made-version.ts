import { CompiledVersion } from '../compiled-version.ts'
import type { StagingSchema, StagingTable, VersionContent } from '../model.ts'
import { parseSchema, parseTable } from '../parse.ts'

/** Columns as `INPUT key`, and rows of cells. */
export interface MadeTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
}

export function madeTable(id: string, { columns, rows }: MadeTable): StagingTable {
  const definition = columns.map((column) => {
    const [type, key] = column.split(' ')
    return { type, key }
  })
  return parseTable({ id, definition, rows })
}

const SITES: MadeTable = { columns: ['INPUT site'], rows: [['C000'], ['C001']] }
const HISTOLOGIES: MadeTable = { columns: ['INPUT hist'], rows: [['8000-8002']] }
const YEARS: MadeTable = { columns: ['INPUT year_dx'], rows: [['2018-{{ctx_year_current}}']] }
const SELECTION: MadeTable = {
  columns: ['INPUT site', 'INPUT hist', 'ENDPOINT result'],
  rows: [['C000', '*', 'MATCH']],
}
const USUAL: Readonly<Record<string, MadeTable>> = {
  primary_site: SITES,
  histology: HISTOLOGIES,
  year: YEARS,
  selection: SELECTION,
}

/** Inputs that all schemas made here have. */
const USUAL_INPUTS = [
  { key: 'site', table: 'primary_site' },
  { key: 'hist', table: 'histology' },
  { key: 'year_dx', table: 'year' },
] as const

/** A case that the usual inputs find nothing wrong with. */
export const USUAL_CASE = { site: 'C000', hist: '8000', year_dx: '2020' } as const

/** Returns the JSON of a schema `made` that has the usual inputs and others. */
export function madeSchema(members: Readonly<Record<string, unknown>> = {}): StagingSchema {
  const { inputs = [], ...rest } = members
  return parseSchema({
    id: 'made',
    schema_selection_table: 'selection',
    inputs: [...USUAL_INPUTS, ...(inputs as readonly unknown[])],
    ...rest,
  })
}

export function madeContent(
  schemas: readonly StagingSchema[],
  tables: Readonly<Record<string, MadeTable>> = {},
): VersionContent {
  const all = Object.entries({ ...USUAL, ...tables })
  return {
    algorithm: 'made',
    version: '1.0',
    schemas: new Map(schemas.map((schema) => [schema.id, schema])),
    tables: new Map(all.map(([id, table]) => [id, madeTable(id, table)])),
    glossary: new Map(),
  }
}

/** A version of the schema `made` with the given members, in the year 2026. */
export function madeVersion(
  members: Readonly<Record<string, unknown>> = {},
  tables: Readonly<Record<string, MadeTable>> = {},
): CompiledVersion {
  return new CompiledVersion(madeContent([madeSchema(members)], tables), {
    yearNow: () => '2026',
  })
}

/** Returns a version with one mapping `m`, whose table `t` maps input `a` to output `out`, and with other tables. */
export function mappedVersion(
  rows: readonly (readonly string[])[],
  {
    schema = {},
    mapping = {},
    path = {},
    tables = {},
  }: {
    readonly schema?: Readonly<Record<string, unknown>>
    readonly mapping?: Readonly<Record<string, unknown>>
    readonly path?: Readonly<Record<string, unknown>>
    readonly tables?: Readonly<Record<string, MadeTable>>
  } = {},
): CompiledVersion {
  return madeVersion(
    {
      inputs: [{ key: 'a' }],
      outputs: [{ key: 'out' }],
      mappings: [{ id: 'm', tables: [{ id: 't', ...path }], ...mapping }],
      ...schema,
    },
    { t: { columns: ['INPUT a', 'ENDPOINT out'], rows }, ...tables },
  )
}
