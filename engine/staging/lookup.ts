import type { CompiledVersion } from './compiled-version.ts'
import type { InputMap } from './result.ts'

/**
 * Ids of the schemas that the input may mean, ascending (rules 15 and 16). Values are taken as they
 * are; keys that no selection table has are ignored.
 */
export function lookupSchemas(version: CompiledVersion, input: InputMap): string[] {
  return version.selection.find(input)
}
