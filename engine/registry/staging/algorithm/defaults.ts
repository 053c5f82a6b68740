import { EngineError } from '../../../shared/errors.ts'
import type { CompiledVersion } from './compiled-version.ts'
import { contextOf } from './context.ts'
import { Evaluation } from './evaluation.ts'
import type { InputMap } from './result.ts'

/**
 * Adds the defaults of a schema's inputs (registry.md rule 31) in the order of their declaration. Each may
 * depend on the values set so far. A blank value counts as given.
 * @throws EngineError `bad_input` for an unknown schema
 */
export function addDefaults(version: CompiledVersion, schema: string, input: InputMap): InputMap {
  const plan = version.plan(schema)
  if (!plan) throw new EngineError('bad_input', `Schema '${schema}' does not exist.`)
  const values = contextOf(version, input)
  const evaluation = new Evaluation(plan, values)
  const added: Record<string, string> = {}
  for (const declared of plan.inputs) {
    if (typeof values[declared.slot] === 'string') continue
    const value = evaluation.findDefault(declared)
    if (typeof value !== 'string') continue
    values[declared.slot] = value
    added[declared.key] = value
  }
  return { ...input, ...added }
}
