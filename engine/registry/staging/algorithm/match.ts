import { EngineError } from '../../../shared/errors.ts'
import type { CompiledVersion } from './compiled-version.ts'
import { contextOf } from './context.ts'
import type { InputMap, TableMatch } from './result.ts'
import { trimmed } from './values.ts'

/**
 * Finds the first row of a table that matches the untrimmed input (registry.md rule 32).
 * @throws EngineError `not_found` for an unknown table
 */
export function matchTable(version: CompiledVersion, table: string, input: InputMap): TableMatch {
  const index = version.table(table)
  if (!index) throw new EngineError('not_found', `Table '${table}' does not exist.`)
  const row = index.match(contextOf(version, input))
  return row < 0 ? { match: false } : { match: true, row }
}

/** Returns whether a value is valid for a key of a schema (registry.md rule 33). False for an unknown key. */
export function isCodeValid(
  version: CompiledVersion,
  {
    schema,
    key,
    value = '',
  }: { readonly schema: string; readonly key: string; readonly value?: string },
): boolean {
  const input = version.plan(schema)?.inputOfKey.get(key)
  if (!input) return false
  if (!input.table) return true
  const values = contextOf(version, { [key]: trimmed(value) })
  return input.table.index !== undefined && input.table.index.match(values) >= 0
}
