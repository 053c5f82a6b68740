import type { CompiledVersion } from './compiled-version.ts'
import { Evaluation } from './evaluation.ts'
import { isContextKey } from './key-slots.ts'
import type { InputMap, StagingData, StagingError, StagingResult } from './result.ts'
import type { SchemaPlan } from './schema-plan.ts'
import { trimmed } from './values.ts'

export interface StageOptions {
  /** Adds `explain`: each table that was looked at, and the row that matched. */
  readonly explain?: boolean
}

/**
 * Stages one case (registry.md 4.6).
 * @throws EngineError too_many for an algorithm whose jumps lead through too many tables
 */
export function stage(
  version: CompiledVersion,
  input: InputMap,
  { explain = false }: StageOptions = {},
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
  const unknown = unknownInputs(plan, input)
  if (unknown) return { ...failed('FAILED_INVALID_INPUT', input, id), errors: unknown }
  const evaluation = begin(version, plan, input, explain)
  const { errors, path } = evaluation
  const more = explain ? { explain: evaluation.visits } : undefined
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

/** Rule 19; undefined when the schema has all keys of the input. */
function unknownInputs({ inputOfKey }: SchemaPlan, input: InputMap): StagingError[] | undefined {
  let errors: StagingError[] | undefined
  for (const key in input) {
    if (inputOfKey.has(key)) continue
    errors ??= []
    errors.push({ type: 'UNKNOWN_INPUT', key, message: `Unknown input key supplied: ${key}` })
  }
  return errors
}

/** A context of the input's values, trimmed (rules 20 and 21). */
function begin(
  version: CompiledVersion,
  plan: SchemaPlan,
  input: InputMap,
  explain: boolean,
): Evaluation {
  const values = version.freshContext()
  for (const key in input) {
    const slot = plan.inputOfKey.get(key)?.slot
    const value = input[key]
    if (slot === undefined || isContextKey(key)) continue
    values[slot] = typeof value === 'string' ? trimmed(value) : value
  }
  return new Evaluation(plan, values, { explain })
}
