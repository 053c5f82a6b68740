import { EngineError } from '../../../shared/errors.ts'
import type { CompiledVersion } from './compiled-version.ts'
import type { InputMap, SchemaInfo } from './result.ts'

/**
 * Returns the ids of possible schemas in ascending order (registry.md rules 15 and 16). Values are not trimmed,
 * and keys in no selection table are ignored.
 */
export function lookupSchemas(version: CompiledVersion, input: InputMap): string[] {
  return version.selection.find(input)
}

/**
 * Returns the lookup result for a schema (registry.md 3, StagingSchemaInfo).
 * @throws EngineError `not_found` for an unknown schema
 */
export function schemaInfo({ content, derivation }: CompiledVersion, id: string): SchemaInfo {
  const schema = content.schemas.get(id)
  if (!schema) throw new EngineError('not_found', `Schema '${id}' does not exist.`)
  const { name, title, schema_num, schema_discriminators = [] } = schema
  const discriminators = schema.inputs.filter(({ key }) => schema_discriminators.includes(key))
  return {
    id,
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(schema_num !== undefined && { schema_num }),
    ...(discriminators.length > 0 && { discriminators }),
    staging_inputs: derivation.stagingInputs(schema),
    staging_outputs: derivation.stagingOutputs(schema),
  }
}
