import { isContextKey, type KeySlots } from './key-slots.ts'
import type { KeyValue, Mapping, SchemaInput, StagingSchema, TablePath } from './model.ts'
import { outputRenaming } from './output-renaming.ts'
import type { StagingErrorType } from './result.ts'
import type { TableIndex } from './table-index.ts'
import { referencedKey } from './values.ts'

/** A fixed text, or the value of a key if `slot` is not -1 (registry.md rule 13). */
export interface Template {
  readonly text: string
  readonly slot: number
}

/** A table by name. `index` is undefined if the version lacks the table. */
export interface TableUse {
  readonly id: string
  readonly index: TableIndex | undefined
}

export interface InputPlan {
  readonly key: string
  readonly slot: number
  readonly table: TableUse | undefined
  readonly default: Template | undefined
  readonly defaultTable: TableUse | undefined
  readonly invalidType: StagingErrorType
  /** Whether an invalid value ends the staging (registry.md rule 22). */
  readonly isFatal: boolean
  /** Whether the key has the name of a context variable, which is never taken from a user (registry.md rule 3). */
  readonly isContext: boolean
}

interface OutputPlan {
  readonly key: string
  readonly slot: number
  readonly table: TableUse | undefined
  readonly default: Template | undefined
  /** Whether results show the key. False for context variables. */
  readonly isShown: boolean
}

/** Copies the value of one slot to another slot. */
export interface Renaming {
  /** Key of `fromSlot`. */
  readonly from: string
  readonly fromSlot: number
  readonly toSlot: number
}

export interface InvolvementPlan {
  readonly table: TableUse
  readonly renamings: readonly Renaming[]
  readonly pathText: string
}

/** A table on one path, with the path's output mapping. The table may be named in the path or reached by jumps. */
export interface StepPlan {
  readonly id: string
  readonly index: TableIndex | undefined
  readonly pathText: string
  /** Target slots of each ENDPOINT column (registry.md rule 11). */
  readonly targets: readonly (readonly number[])[]
  /** Whether the table is on the jump stack (registry.md rule 28). */
  isOpen: boolean
}

export interface PathPlan {
  readonly id: string
  readonly renamings: readonly Renaming[]
  /** Step of the table that the path names. */
  readonly start: StepPlan
  /** Returns the step to which a JUMP to this table leads. */
  stepOf(table: string): StepPlan
}

export interface MappingPlan {
  readonly id: string | undefined
  readonly inclusions: readonly InvolvementPlan[]
  readonly exclusions: readonly InvolvementPlan[]
  readonly initial: readonly { readonly slot: number; readonly value: string | null }[]
  readonly paths: readonly PathPlan[]
}

/** A schema with keys resolved to slots and table names to tables. */
export interface SchemaPlan {
  readonly schema: StagingSchema
  readonly inputs: readonly InputPlan[]
  readonly inputOfKey: ReadonlyMap<string, InputPlan>
  readonly yearInput: InputPlan | undefined
  readonly outputs: readonly OutputPlan[]
  /** Whether tables of outputs read other keys. These have to be removed first (registry.md rule 29). */
  readonly outputsAskOthers: boolean
  readonly initial: readonly { readonly slot: number; readonly value: Template | undefined }[]
  readonly mappings: readonly MappingPlan[]
}

/** Resolves slots and tables for plans. */
interface PlanSurroundings {
  readonly keys: KeySlots
  findTable(id: string): TableIndex | undefined
}

/** Compiles a schema. A broken reference is not an error here (registry.md 7.6). */
export function planSchema(schema: StagingSchema, surroundings: PlanSurroundings): SchemaPlan {
  const { keys } = surroundings
  const inputs = schema.inputs.map((input) => planInput(schema, input, surroundings))
  const outputs = (schema.outputs ?? []).map((output) => ({
    key: output.key,
    slot: keys.slotOf(output.key),
    table: tableUse(output.table, surroundings),
    default: templateOf(output.default, keys),
    isShown: !isContextKey(output.key),
  }))
  return {
    schema,
    inputs,
    inputOfKey: new Map(inputs.map((input) => [input.key, input])),
    yearInput: inputs.find(({ key }) => key === 'year_dx'),
    outputs,
    outputsAskOthers: askOthers(outputs),
    initial: (schema.initial_context ?? []).map(({ key, value }) => ({
      slot: keys.slotOf(key),
      value: templateOf(value, keys),
    })),
    mappings: (schema.mappings ?? []).map((mapping) => planMapping(mapping, surroundings)),
  }
}

function planInput(
  { on_invalid_input }: StagingSchema,
  { key, table, default_table, used_for_staging = false, ...input }: SchemaInput,
  surroundings: PlanSurroundings,
): InputPlan {
  return {
    key,
    slot: surroundings.keys.slotOf(key),
    table: tableUse(table, surroundings),
    default: templateOf(input.default, surroundings.keys),
    defaultTable: tableUse(default_table, surroundings),
    invalidType: used_for_staging ? 'INVALID_REQUIRED_INPUT' : 'INVALID_NON_REQUIRED_INPUT',
    isFatal:
      on_invalid_input === 'FAIL' ||
      (on_invalid_input === 'FAIL_WHEN_USED_FOR_STAGING' && used_for_staging),
    isContext: isContextKey(key),
  }
}

function askOthers(outputs: readonly OutputPlan[]): boolean {
  const own = new Set(outputs.map(({ slot }) => slot))
  const columns = outputs.flatMap(({ table }) => table?.index?.columns ?? [])
  return columns.some(({ slot, references }) => ![slot, ...references].every((one) => own.has(one)))
}

function planMapping(mapping: Mapping, surroundings: PlanSurroundings): MappingPlan {
  const prefix = mapping.id === undefined ? '' : `${mapping.id}.`
  const involvement = (path: TablePath): InvolvementPlan => ({
    table: { id: path.id, index: surroundings.findTable(path.id) },
    renamings: renamingsOf(path, surroundings.keys),
    pathText: prefix + path.id,
  })
  return {
    id: mapping.id,
    inclusions: (mapping.inclusion_tables ?? []).map(involvement),
    exclusions: (mapping.exclusion_tables ?? []).map(involvement),
    initial: (mapping.initial_context ?? []).map(({ key, value }: KeyValue) => ({
      slot: surroundings.keys.slotOf(key),
      value: value ?? null,
    })),
    paths: (mapping.tables ?? []).map((path) => planPath(path, prefix, surroundings)),
  }
}

function planPath(path: TablePath, prefix: string, surroundings: PlanSurroundings): PathPlan {
  const steps = new Map<string, StepPlan>()
  const renamed = outputRenaming(path)
  const stepOf = (table: string): StepPlan => {
    let step = steps.get(table)
    if (!step) {
      step = planStep(table, renamed, prefix, surroundings)
      steps.set(table, step)
    }
    return step
  }
  return {
    id: path.id,
    renamings: renamingsOf(path, surroundings.keys),
    start: stepOf(path.id),
    stepOf,
  }
}

function planStep(
  id: string,
  renamed: (column: string) => readonly string[],
  prefix: string,
  { keys, findTable }: PlanSurroundings,
): StepPlan {
  const index = findTable(id)
  const targetsOf = (key: string) => renamed(key).map((to) => keys.slotOf(to))
  return {
    id,
    index,
    pathText: prefix + id,
    targets: (index?.endpointKeys ?? []).map(targetsOf),
    isOpen: false,
  }
}

function renamingsOf({ input_mapping = [] }: TablePath, keys: KeySlots): Renaming[] {
  return input_mapping.map(({ from, to }) => ({
    from,
    fromSlot: keys.slotOf(from),
    toSlot: keys.slotOf(to),
  }))
}

function tableUse(id: string | undefined, { findTable }: PlanSurroundings): TableUse | undefined {
  return id === undefined ? undefined : { id, index: findTable(id) }
}

function templateOf(text: string | undefined, keys: KeySlots): Template | undefined {
  if (text === undefined) return undefined
  const key = referencedKey(text)
  return { text, slot: key === undefined ? -1 : keys.slotOf(key) }
}
