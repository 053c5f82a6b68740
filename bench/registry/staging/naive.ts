import type {
  Mapping,
  SchemaInput,
  StagingSchema,
  StagingTable,
  TablePath,
  VersionContent,
} from '../../../engine/registry/staging/algorithm/model.ts'
import type {
  InputMap,
  StagingData,
  StagingError,
  StagingResult,
} from '../../../engine/registry/staging/algorithm/result.ts'
import {
  type Context,
  type NaiveTable,
  readTable,
  scanRows,
  translate,
  trimText,
} from './naive-table.ts'

/** What a run of a schema leaves. */
interface NaiveRun {
  readonly context: Context
  readonly errors: StagingError[]
  readonly path: string[]
  readonly failed: boolean
}

const VERSION_KEY = 'ctx_alg_version'
const YEAR_KEY = 'ctx_year_current'

/**
 * The rules of registry.md 4 done one by one over rows and maps: the baseline of the bench, and a
 * second opinion for tests.
 */
export class NaiveVersion {
  readonly #schemas: readonly StagingSchema[]
  readonly #tables: ReadonlyMap<string, NaiveTable>
  readonly #sites: ReadonlySet<string>
  readonly #histologies: ReadonlySet<string>
  readonly #version: string
  readonly #year: string

  constructor(content: VersionContent, year: string) {
    const ids = [...content.schemas.keys()].sort()
    this.#schemas = ids.map((id) => content.schemas.get(id)!)
    this.#tables = new Map([...content.tables].map(([id, table]) => [id, readTable(table)]))
    this.#sites = codesOf(content.tables.get('primary_site'))
    this.#histologies = codesOf(content.tables.get('histology'))
    this.#version = content.version
    this.#year = year
  }

  lookup(input: InputMap): string[] {
    return this.#selected(input).map(({ id }) => id)
  }

  #selected(input: InputMap): readonly StagingSchema[] {
    const context: Context = new Map(Object.entries(input))
    const hasSite = context.has('site')
    const hasHistology = context.has('hist')
    const site = context.get('site') ?? ''
    const histology = context.get('hist') ?? ''
    if (!hasSite && !hasHistology) return []
    if (hasSite && !this.#sites.has(site)) return []
    if (hasHistology && !this.#histologies.has(histology)) return []
    const asked = new Set(context.keys())
    const discriminators = [...context].filter(
      ([key, value]) => key !== 'site' && key !== 'hist' && value,
    )
    if (discriminators.length > 0 && (site === '' || histology === '')) return []
    this.#addVariables(context)
    return this.#schemas.filter(({ schema_selection_table }) => {
      const table = this.#tables.get(schema_selection_table)
      return table !== undefined && scanRows(table, context, asked) >= 0
    })
  }

  match(table: string, input: InputMap): number {
    const context: Context = new Map(Object.entries(input))
    this.#addVariables(context)
    return scanRows(this.#tables.get(table)!, context)
  }

  stage(input: InputMap): StagingData {
    const fail = (result: StagingResult, more: Partial<StagingData> = {}): StagingData => ({
      result,
      input,
      output: {},
      errors: [],
      path: [],
      ...more,
    })
    if (typeof input.site !== 'string' || typeof input.hist !== 'string') {
      return fail('FAILED_MISSING_SITE_OR_HISTOLOGY')
    }
    const found = this.#selected(input)
    if (found.length === 0) return fail('FAILED_NO_MATCHING_SCHEMA')
    if (found.length > 1) return fail('FAILED_MULITPLE_MATCHING_SCHEMAS')
    const schema = found[0]!
    const keys = new Set(schema.inputs.map(({ key }) => key))
    const errors = Object.keys(input)
      .filter((key) => !keys.has(key))
      .map(
        (key) =>
          ({ type: 'UNKNOWN_INPUT', key, message: `Unknown input key supplied: ${key}` }) as const,
      )
    if (errors.length > 0) return fail('FAILED_INVALID_INPUT', { schema_id: schema.id, errors })
    const context: Context = new Map(Object.entries(input))
    this.#addVariables(context)
    if (!this.#isYearValid(schema, context)) {
      return fail('FAILED_INVALID_YEAR_DX', { schema_id: schema.id })
    }
    const run = this.process(schema, context)
    if (run.failed)
      return fail('FAILED_INVALID_INPUT', { schema_id: schema.id, errors: run.errors })
    const outputs = new Set(schema.outputs?.map(({ key }) => key))
    const shown = [...run.context].filter(
      (entry): entry is [string, string] =>
        entry[1] !== null &&
        entry[0] !== VERSION_KEY &&
        entry[0] !== YEAR_KEY &&
        (outputs.has(entry[0]) || !keys.has(entry[0])),
    )
    const output = Object.fromEntries(shown)
    return {
      result: 'STAGED',
      schema_id: schema.id,
      input,
      output,
      errors: run.errors,
      path: run.path,
    }
  }

  isCodeValid(schema: string, key: string, value = ''): boolean {
    const found = this.#schemas.find(({ id }) => id === schema)
    const input = found?.inputs.find((one) => one.key === key)
    if (!input) return false
    if (input.table === undefined) return true
    const table = this.#tables.get(input.table)
    const context: Context = new Map([[key, trimText(value)]])
    this.#addVariables(context)
    return table !== undefined && scanRows(table, context) >= 0
  }

  /** Rules 21 to 29, on a context that is changed. */
  process(schema: StagingSchema, given: Context): NaiveRun {
    const context: Context = new Map()
    for (const [key, value] of given) context.set(key, value === null ? null : trimText(value))
    const run = new SchemaRun(schema, context, this.#tables)
    return run.run()
  }

  #isYearValid({ inputs }: StagingSchema, given: Context): boolean {
    const year = inputs.find(({ key }) => key === 'year_dx')
    if (!year) return false
    if (year.table === undefined) return true
    const table = this.#tables.get(year.table)
    const context: Context = new Map()
    for (const [key, value] of given) context.set(key, trimText(value ?? ''))
    return table !== undefined && scanRows(table, context) >= 0
  }

  #addVariables(context: Context): void {
    context.set(VERSION_KEY, this.#version)
    context.set(YEAR_KEY, this.#year)
  }
}

class SchemaRun {
  readonly #schema: StagingSchema
  readonly #context: Context
  readonly #tables: ReadonlyMap<string, NaiveTable>
  readonly #errors: StagingError[] = []
  readonly #path: string[] = []

  constructor(schema: StagingSchema, context: Context, tables: ReadonlyMap<string, NaiveTable>) {
    this.#schema = schema
    this.#context = context
    this.#tables = tables
  }

  run(): NaiveRun {
    const failed = !this.#takeInputs()
    if (!failed) {
      this.#putInitial()
      for (const mapping of this.#schema.mappings ?? []) this.#follow(mapping)
      this.#judgeOutputs()
    }
    return { context: this.#context, errors: this.#errors, path: failed ? [] : this.#path, failed }
  }

  #takeInputs(): boolean {
    const { inputs, on_invalid_input: policy = 'CONTINUE' } = this.#schema
    let goesOn = true
    for (const input of inputs) {
      const { key, used_for_staging: isUsed = false } = input
      const value = this.#context.get(key) ?? null
      if (value === null) {
        this.#context.set(key, this.#defaultOf(input))
        continue
      }
      if (value === '' || input.table === undefined) continue
      const table = this.#tables.get(input.table)
      if (!table) {
        const message = `Input table does not exist: ${input.table}`
        this.#errors.push({ type: 'UNKNOWN_TABLE', key, message })
      } else if (scanRows(table, this.#context) < 0) {
        this.#errors.push({
          type: isUsed ? 'INVALID_REQUIRED_INPUT' : 'INVALID_NON_REQUIRED_INPUT',
          key,
          table: input.table,
          message: `Invalid '${key}' value (${value})`,
        })
        if (policy === 'FAIL' || (policy === 'FAIL_WHEN_USED_FOR_STAGING' && isUsed)) goesOn = false
      }
    }
    return goesOn
  }

  #defaultOf({ key, default: plain, default_table: id }: SchemaInput): string {
    if (plain !== undefined) return translate(plain, this.#context)
    if (id === undefined) return ''
    const table = this.#tables.get(id)
    if (!table) {
      this.#errors.push({
        type: 'UNKNOWN_TABLE',
        key,
        message: `Default table does not exist: ${id}`,
      })
      return ''
    }
    const row = table.rows[scanRows(table, this.#context)]
    const value = row?.endpoints.find((end) => end.type === 'VALUE' && end.key === key)
    if (value) return translate(value.value ?? '', this.#context)
    this.#errors.push({
      type: 'MATCH_NOT_FOUND',
      key,
      message: `Default table ${id} did not find a match`,
    })
    return ''
  }

  #putInitial(): void {
    for (const { key, default: plain } of this.#schema.outputs ?? []) {
      this.#context.set(key, plain === undefined ? '' : translate(plain, this.#context))
    }
    for (const { key, value } of this.#schema.initial_context ?? []) {
      this.#context.set(key, value === undefined ? null : translate(value, this.#context))
    }
  }

  #follow(mapping: Mapping): void {
    const { inclusion_tables: ins = [], exclusion_tables: outs = [], tables = [] } = mapping
    const isInvolved =
      ins.every((path) => this.#matches(path) === true) &&
      outs.every((path) => this.#matches(path) === false)
    if (!isInvolved) return
    for (const { id } of [...ins, ...outs]) this.#note(mapping, id)
    for (const { key, value } of mapping.initial_context ?? [])
      this.#context.set(key, value ?? null)
    for (const path of tables) {
      const pairs = path.input_mapping ?? []
      for (const { from, to } of pairs) this.#rename(path, from, to)
      const isStopped = this.#process(mapping, path, path.id, [])
      for (const { to } of pairs) this.#context.delete(to)
      if (isStopped) return
    }
  }

  #matches({ id, input_mapping: pairs = [] }: TablePath): boolean | undefined {
    const table = this.#tables.get(id)
    if (!table) {
      this.#unknownTable(id, id)
      return undefined
    }
    if (pairs.length === 0) return scanRows(table, this.#context) >= 0
    const copy = new Map(this.#context)
    for (const { from, to } of pairs) {
      const value = copy.get(from)
      if (value !== undefined) copy.set(to, value)
    }
    return scanRows(table, copy) >= 0
  }

  #rename({ id }: TablePath, from: string, to: string): void {
    const value = this.#context.get(from)
    if (value !== undefined) this.#context.set(to, value)
    else {
      const message = `Input mapping '${from}' does not exist for table '${id}'`
      this.#errors.push({ type: 'UNKNOWN_INPUT_MAPPING', key: from, table: id, message })
    }
  }

  #process(mapping: Mapping, path: TablePath, id: string, stack: readonly string[]): boolean {
    const table = this.#tables.get(id)
    if (!table) {
      this.#unknownTable(id, path.id)
      return false
    }
    if (stack.includes(id)) {
      const message = `The processing of '${path.id}' has entered an infinite recursive state.  Table '${id}' was accessed multiple times.`
      this.#errors.push({ type: 'INFINITE_LOOP', table: id, message })
      return false
    }
    this.#note(mapping, id)
    const row = table.rows[scanRows(table, this.#context)]
    if (!row) {
      const message = `Match not found in table '${id}' (${this.#inputsText(table)})`
      this.#errors.push({
        type: 'MATCH_NOT_FOUND',
        table: id,
        columns: table.endpointKeys,
        message,
      })
      return false
    }
    let isStopped = false
    for (const { key, type, value } of row.endpoints) {
      if (type === 'STOP') isStopped = true
      else if (type === 'JUMP') {
        isStopped = this.#process(mapping, path, value ?? '', [...stack, id])
      } else if (type === 'VALUE') this.#put(path, key, value)
      else if (type === 'ERROR') {
        const usual = `Matching resulted in an error in table '${id}' for column '${key}' (${this.#inputsText(table)})`
        this.#errors.push({
          type: 'STAGING_ERROR',
          table: id,
          columns: [key],
          message: value || usual,
        })
      }
    }
    return isStopped
  }

  #put({ output_mapping: pairs = [] }: TablePath, key: string, value: string | null): void {
    const renamed = pairs.filter(({ from }) => from === key).map(({ to }) => to)
    const text = value === null ? undefined : translate(value, this.#context)
    for (const to of renamed.length > 0 ? renamed : [key]) {
      if (text === undefined) this.#context.delete(to)
      else this.#context.set(to, text)
    }
  }

  #judgeOutputs(): void {
    const { outputs = [] } = this.#schema
    if (outputs.length === 0) return
    const keys = new Set(outputs.map(({ key }) => key))
    for (const key of this.#context.keys()) {
      if (!keys.has(key)) this.#context.delete(key)
    }
    for (const { key, table: id } of outputs) {
      if (id === undefined) continue
      const table = this.#tables.get(id)
      if (!table) {
        const message = `Output table does not exist: ${id}`
        this.#errors.push({ type: 'UNKNOWN_TABLE', key, message })
      } else if (scanRows(table, this.#context) < 0) {
        const message = `Invalid '${key}' value (${this.#context.get(key) || '<blank>'})`
        this.#errors.push({ type: 'INVALID_OUTPUT', key, table: id, message })
      }
    }
  }

  #note({ id }: Mapping, table: string): void {
    this.#path.push(id === undefined ? table : `${id}.${table}`)
  }

  #unknownTable(table: string, path: string): void {
    const message = `The processing of '${path}' contains a reference to an unknown table: '${table}'`
    this.#errors.push({ type: 'UNKNOWN_TABLE', table, message })
  }

  #inputsText({ inputKeys }: NaiveTable): string {
    return inputKeys.map((key) => trimText(this.#context.get(key) ?? '') || '<blank>').join(',')
  }
}

/** Rule 2. */
function codesOf(table: StagingTable | undefined): Set<string> {
  const codes = new Set<string>()
  if (!table) return codes
  for (const row of readTable(table).rows) {
    for (const { low, high } of row.cells[0] ?? []) {
      codes.add(low).add(high)
      if (low === high || !/^\d+$/.test(low) || !/^\d+$/.test(high)) continue
      for (let code = Number(low); code <= Number(high); code++) {
        codes.add(String(code).padStart(low.length, '0'))
      }
    }
  }
  return codes
}
