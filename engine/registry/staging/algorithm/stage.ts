import type { CompiledVersion } from './compiled-version.ts'
import { contextOf } from './context.ts'
import { type ErrorOrigin, Evaluation, type Traces } from './evaluation.ts'
import { visitOf } from './explain.ts'
import { hintsOn } from './hints.ts'
import { itemNames } from './item-names.ts'
import type { ContextValues } from './key-slots.ts'
import type { InputMap, StagingData, StagingError, StagingResult, Visit } from './result.ts'
import type { SchemaPlan } from './schema-plan.ts'
import { trimmed } from './values.ts'

export interface StageOptions {
  /** Adds `explain`: each visited table and the matching row. */
  readonly explain?: boolean
  /** Adds `hints` to the result, advice on the case, and `outputs` to errors, the outputs that each affects. */
  readonly hints?: boolean
  /** Adds `naaccr`: numbers, ids and names of the inputs and outputs. */
  readonly naaccr?: boolean
}

/**
 * Stages one case (registry.md 4.6).
 * @throws EngineError `too_many` if jumps of the algorithm visit too many tables
 */
export function stage(
  version: CompiledVersion,
  input: InputMap,
  { explain = false, hints = false, naaccr = false }: StageOptions = {},
): StagingData {
  const visits = explain ? [] : undefined
  if (!hints && !naaccr) return stageTraced(version, input, { visits })
  const origins: ErrorOrigin[] = []
  const data = stageTraced(version, input, { visits, origins })
  const names = naaccr ? itemNames(version, data) : undefined
  return {
    ...data,
    ...(hints && hintsOn(version, data, origins)),
    ...(names && { naaccr: names }),
  }
}

function stageTraced(
  version: CompiledVersion,
  input: InputMap,
  { visits, origins }: Traces,
): StagingData {
  const { site, hist } = input
  if (typeof site !== 'string' || typeof hist !== 'string') {
    return failed('FAILED_MISSING_SITE_OR_HISTOLOGY', input)
  }
  const found = version.selection.find(input)
  const [id] = found
  if (id === undefined) return failed('FAILED_NO_MATCHING_SCHEMA', input)
  if (found.length > 1) return failed('FAILED_MULITPLE_MATCHING_SCHEMAS', input)
  const plan = version.plan(id)
  if (!plan) throw new Error('a selected schema has a plan')
  visits?.push(...selectionVisit(version, plan, input))
  const values = version.freshContext()
  const unknown = fillContext(values, plan, input)
  const more = visits && { explain: visits }
  if (unknown) return { ...failed('FAILED_INVALID_INPUT', input, id), errors: unknown, ...more }
  const evaluation = new Evaluation(plan, values, { visits, origins })
  const { errors, path } = evaluation
  if (!evaluation.isYearValid()) {
    return { ...failed('FAILED_INVALID_YEAR_DX', input, id), ...more }
  }
  if (!evaluation.takeInputs()) {
    return { ...failed('FAILED_INVALID_INPUT', input, id), errors, ...more }
  }
  evaluation.putInitial()
  evaluation.followMappings()
  evaluation.judgeOutputs()
  const output = evaluation.output(version.keys.keys)
  return { result: 'STAGED', schema_id: id, input, output, errors, path, ...more }
}

function failed(result: StagingResult, input: InputMap, schemaId?: string): StagingData {
  const ending = { input, output: {}, errors: [], path: [] }
  return schemaId === undefined ? { result, ...ending } : { result, schema_id: schemaId, ...ending }
}

/**
 * Puts the trimmed input values into a context (registry.md rules 20 and 21).
 * @returns an error for each key that is not in the schema (registry.md rule 19), or undefined if there is none
 */
function fillContext(
  values: ContextValues,
  { inputOfKey }: SchemaPlan,
  input: InputMap,
): StagingError[] | undefined {
  let errors: StagingError[] | undefined
  for (const key in input) {
    const value = input[key]
    const declared = inputOfKey.get(key)
    if (!declared) {
      errors ??= []
      errors.push({ type: 'UNKNOWN_INPUT', key, message: `Unknown input key supplied: ${key}` })
    } else if (!declared.isContext) {
      values[declared.slot] = typeof value === 'string' ? trimmed(value) : value
    }
  }
  return errors
}

/** Returns the visit to the selection table that selected the schema, with the input as posted. */
function selectionVisit(
  version: CompiledVersion,
  { schema }: SchemaPlan,
  input: InputMap,
): Visit[] {
  const index = version.table(schema.schema_selection_table)
  if (!index) return []
  const row = version.selection.rowFor(index, input)
  return [visitOf(index, contextOf(version, input), { purpose: 'selection', row })]
}
