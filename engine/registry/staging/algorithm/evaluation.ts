import { EngineError } from '../../../shared/errors.ts'
import { visitOf } from './explain.ts'
import { type ContextValues, isContextKey } from './key-slots.ts'
import type { StagingError, Visit, VisitPurpose } from './result.ts'
import type {
  InputPlan,
  InvolvementPlan,
  MappingPlan,
  PathPlan,
  Renaming,
  SchemaPlan,
  StepPlan,
  TableUse,
  Template,
} from './schema-plan.ts'
import type { TableIndex } from './table-index.ts'
import { trimmed } from './values.ts'

/**
 * Maximum number of tables to visit for one case. Published algorithms visit fewer than a hundred. Without a
 * limit, repeated jumps to the same tables could block a thread.
 */
const MAX_STEPS = 10_000

/** Maximum depth of nested jumps, well within the stack. */
export const DEEPEST_JUMP = 1_000

/** The phase in which an error occurred: reading inputs, following mappings or validating outputs. */
export interface ErrorOrigin {
  readonly phase: 'input' | 'mapping' | 'output'
  /** Index of a mapping, and of a table path in it. */
  readonly mapping: number | undefined
  /** Index of the path. If undefined, the table decides whether the mapping applies. */
  readonly path: number | undefined
}

/** Traces that an evaluation records. */
export interface Traces {
  /** Receives each table visit, for an explanation. */
  readonly visits?: Visit[] | undefined
  /** Receives the origin of each error. */
  readonly origins?: ErrorOrigin[] | undefined
}

/** Evaluates one schema in one context (registry.md rules 20 to 30). */
export class Evaluation {
  readonly errors: StagingError[] = []
  readonly path: string[] = []
  readonly #plan: SchemaPlan
  readonly #values: ContextValues
  readonly #visits: Visit[] | undefined
  #mapping: MappingPlan | undefined
  #tablePath: PathPlan | undefined
  readonly #origins: ErrorOrigin[] | undefined
  #phase: ErrorOrigin['phase'] = 'input'
  #steps = 0
  #depth = 0

  constructor(plan: SchemaPlan, values: ContextValues, { visits, origins }: Traces = {}) {
    this.#plan = plan
    this.#values = values
    this.#visits = visits
    this.#origins = origins
  }

  #fail(error: StagingError): void {
    this.errors.push(error)
    const mapping = this.#mapping && this.#plan.mappings.indexOf(this.#mapping)
    const path = this.#tablePath && this.#mapping?.paths.indexOf(this.#tablePath)
    this.#origins?.push({ phase: this.#phase, mapping, path })
  }

  /** Rule 20 of registry.md: whether the year of diagnosis is valid. */
  isYearValid(): boolean {
    const { yearInput } = this.#plan
    if (!yearInput) return false
    const { table, key } = yearInput
    return !table || (table.index !== undefined && this.#look(table.index, 'year', key) >= 0)
  }

  /**
   * Sets defaults and validates the given values (registry.md rules 21 and 24).
   * @returns false if a value ends the staging (registry.md rule 22)
   */
  takeInputs(): boolean {
    const values = this.#values
    let goesOn = true
    for (const input of this.#plan.inputs) {
      const value = values[input.slot]
      if (typeof value !== 'string') values[input.slot] = this.#defaultOf(input)
      else if (value !== '' && input.table && !this.#isValid(input, input.table, value)) {
        goesOn &&= !input.isFatal
      }
    }
    return goesOn
  }

  #isValid({ key, invalidType }: InputPlan, { id, index }: TableUse, value: string): boolean {
    if (!index) {
      const message = `Input table does not exist: ${id}`
      this.#fail({ type: 'UNKNOWN_TABLE', key, message })
      return true
    }
    if (this.#look(index, 'input', key) >= 0) return true
    const message = `Invalid '${key}' value (${value})`
    this.#fail({ type: invalidType, table: id, key, message })
    return false
  }

  #defaultOf(input: InputPlan): string {
    const found = this.findDefault(input)
    if (typeof found === 'string') return found
    if (found) this.#fail(found)
    return ''
  }

  /** Returns the default of an input (registry.md rule 24), its table's error, or undefined without a default. */
  findDefault(input: InputPlan): string | StagingError | undefined {
    if (input.default) return this.#textOf(input.default)
    return input.defaultTable && this.#defaultFrom(input, input.defaultTable)
  }

  #defaultFrom({ key }: InputPlan, { id, index }: TableUse): string | StagingError {
    if (!index) {
      return { type: 'UNKNOWN_TABLE', key, message: `Default table does not exist: ${id}` }
    }
    const row = this.#look(index, 'default', key)
    for (const column of row < 0 ? [] : index.endpoints) {
      const endpoint = column.cells[column.cellOfRow[row] ?? 0]
      if (column.key !== key || endpoint?.type !== 'VALUE') continue
      return this.#textOf({ text: endpoint.value ?? '', slot: endpoint.slot })
    }
    const message = `Default table ${id} did not find a match`
    return { type: 'MATCH_NOT_FOUND', key, message }
  }

  /** Rule 25 of registry.md: sets the initial values of outputs. */
  putInitial(): void {
    const values = this.#values
    for (const output of this.#plan.outputs) {
      values[output.slot] = output.default ? this.#textOf(output.default) : ''
    }
    for (const { slot, value } of this.#plan.initial) {
      values[slot] = value ? this.#textOf(value) : null
    }
  }

  /** Rules 26 to 28 of registry.md: follows the mappings. */
  followMappings(): void {
    this.#phase = 'mapping'
    for (const mapping of this.#plan.mappings) {
      this.#mapping = mapping
      if (this.#isInvolved(mapping)) this.#follow(mapping)
    }
    this.#mapping = undefined
  }

  #isInvolved({ inclusions, exclusions }: MappingPlan): boolean {
    for (const inclusion of inclusions) {
      if (this.#matches(inclusion, 'inclusion') !== true) return false
    }
    for (const exclusion of exclusions) {
      if (this.#matches(exclusion, 'exclusion') !== false) return false
    }
    return true
  }

  /** Returns whether an inclusion or exclusion table matches, or undefined for a missing table. */
  #matches(
    { table, renamings }: InvolvementPlan,
    purpose: 'inclusion' | 'exclusion',
  ): boolean | undefined {
    if (!table.index) {
      this.#unknownTable(table.id, table.id)
      return undefined
    }
    if (renamings.length === 0) return this.#look(table.index, purpose) >= 0
    const values = this.#values
    const before = renamings.map(({ toSlot }) => values[toSlot])
    for (const { fromSlot, toSlot } of renamings) {
      if (values[fromSlot] !== undefined) values[toSlot] = values[fromSlot]
    }
    const isMatch = this.#look(table.index, purpose) >= 0
    for (let i = renamings.length - 1; i >= 0; i--) {
      values[renamings[i]?.toSlot ?? 0] = before[i]
    }
    return isMatch
  }

  #follow({ inclusions, exclusions, initial, paths }: MappingPlan): void {
    const values = this.#values
    for (const { pathText } of inclusions) this.path.push(pathText)
    for (const { pathText } of exclusions) this.path.push(pathText)
    for (const { slot, value } of initial) values[slot] = value
    for (const path of paths) {
      this.#tablePath = path
      for (const renaming of path.renamings) this.#rename(renaming, path)
      const isStopped = this.#process(path.start, path)
      for (const { toSlot } of path.renamings) values[toSlot] = undefined
      if (isStopped) break
    }
    this.#tablePath = undefined
  }

  #rename({ from, fromSlot, toSlot }: Renaming, { id }: PathPlan): void {
    const value = this.#values[fromSlot]
    if (value !== undefined) {
      this.#values[toSlot] = value
      return
    }
    const message = `Input mapping '${from}' does not exist for table '${id}'`
    this.#fail({ type: 'UNKNOWN_INPUT_MAPPING', table: id, key: from, message })
  }

  /**
   * Rule 28 of registry.md: processes a table.
   * @returns whether the mapping is stopped
   */
  #process(step: StepPlan, path: PathPlan): boolean {
    const { id, index } = step
    if (!index) {
      this.#unknownTable(id, path.id)
      return false
    }
    if (step.isOpen) {
      const message =
        `The processing of '${path.id}' has entered an infinite recursive state.  ` +
        `Table '${id}' was accessed multiple times.`
      this.#fail({ type: 'INFINITE_LOOP', table: id, message })
      return false
    }
    this.#count()
    this.path.push(step.pathText)
    const row = this.#look(index, this.#depth === 0 ? 'path' : 'jump')
    if (row >= 0) return this.#runRow(step, index, path, row)
    const message = `Match not found in table '${id}' (${this.#inputsText(index)})`
    const columns = index.endpointKeys
    this.#fail({ type: 'MATCH_NOT_FOUND', table: id, columns, message })
    return false
  }

  /** Rules 11 and 12 of registry.md: applies the endpoints of a row. */
  #runRow(step: StepPlan, index: TableIndex, path: PathPlan, row: number): boolean {
    const columns = index.endpoints
    let isStopped = false
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]
      const endpoint = column?.cells[column.cellOfRow[row] ?? 0]
      switch (endpoint?.type) {
        case 'VALUE': {
          const value = endpoint.slot < 0 ? endpoint.value : (this.#values[endpoint.slot] ?? '')
          for (const slot of step.targets[i] ?? []) this.#values[slot] = value
          break
        }
        case 'JUMP':
          isStopped = this.#jump(step, path, endpoint.table)
          break
        case 'STOP':
          isStopped = true
          break
        case 'ERROR':
          this.#stagingError(index, column?.key ?? '', endpoint.message)
      }
    }
    return isStopped
  }

  #jump(from: StepPlan, path: PathPlan, table: string): boolean {
    from.isOpen = true
    this.#depth++
    try {
      return this.#process(path.stepOf(table), path)
    } finally {
      this.#depth--
      from.isOpen = false
    }
  }

  #count(): void {
    this.#steps++
    if (this.#steps <= MAX_STEPS && this.#depth <= DEEPEST_JUMP) return
    const limits = `${MAX_STEPS} tables, ${DEEPEST_JUMP} jumps within jumps`
    throw new EngineError(
      'too_many',
      `the case is led through more tables than a case may: ${limits}`,
    )
  }

  #stagingError(index: TableIndex, column: string, text: string): void {
    const { id } = index.table
    const message =
      text === ''
        ? `Matching resulted in an error in table '${id}' for column '${column}' (${this.#inputsText(index)})`
        : text
    this.#fail({ type: 'STAGING_ERROR', table: id, columns: [column], message })
  }

  #unknownTable(table: string, path: string): void {
    const message = `The processing of '${path}' contains a reference to an unknown table: '${table}'`
    this.#fail({ type: 'UNKNOWN_TABLE', table, message })
  }

  /** Validates the outputs. If tables of outputs could read other keys, removes those first (registry.md rule 29). */
  judgeOutputs(): void {
    const { outputs, outputsAskOthers } = this.#plan
    this.#phase = 'output'
    if (outputsAskOthers) this.#dropOthers()
    for (const { key, slot, table } of outputs) {
      if (!table) continue
      const { id, index } = table
      if (!index) {
        const message = `Output table does not exist: ${id}`
        this.#fail({ type: 'UNKNOWN_TABLE', key, message })
      } else if (this.#look(index, 'output', key) < 0) {
        const message = `Invalid '${key}' value (${this.#values[slot] || '<blank>'})`
        this.#fail({ type: 'INVALID_OUTPUT', table: id, key, message })
      }
    }
  }

  #dropOthers(): void {
    const values = this.#values
    const outputs = this.#plan.outputs.map(({ slot }) => values[slot])
    values.fill(undefined)
    for (const [i, { slot }] of this.#plan.outputs.entries()) values[slot] = outputs[i]
  }

  /** Returns the visible part of the context: the outputs, or without listed outputs all keys except inputs. */
  output(keys: readonly string[]): Record<string, string> {
    const { outputs, inputOfKey } = this.#plan
    const values = this.#values
    const shown: Record<string, string> = {}
    for (const { key, slot, isShown } of outputs) {
      const value = values[slot]
      if (typeof value === 'string' && isShown) shown[key] = value
    }
    if (outputs.length > 0) return shown
    for (const [slot, key] of keys.entries()) {
      const value = values[slot]
      if (typeof value !== 'string' || isContextKey(key) || inputOfKey.has(key)) continue
      shown[key] = value
    }
    return shown
  }

  /** Rule 14 of registry.md: formats the inputs of a table for a message. */
  #inputsText({ columns }: TableIndex): string {
    return columns.map(({ slot }) => trimmed(this.#values[slot] ?? '') || '<blank>').join()
  }

  #textOf({ text, slot }: Template): string {
    return slot < 0 ? text : (this.#values[slot] ?? '')
  }

  #look(index: TableIndex, purpose: VisitPurpose, key?: string): number {
    const row = index.match(this.#values)
    this.#visits?.push(
      visitOf(index, this.#values, { purpose, row, mapping: this.#mapping?.id, key }),
    )
    return row
  }
}
