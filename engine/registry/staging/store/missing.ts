import { EngineError } from '../../../shared/errors.ts'
import type { SchemaOrTable, VersionName } from './entities.ts'

/**
 * Throws the API's error for a missing schema or table.
 * @throws EngineError `not_found` always
 */
export function missing(kind: SchemaOrTable, id: string): never {
  const what = kind === 'schema' ? 'Schema' : 'Table'
  throw new EngineError('not_found', `${what} '${id}' does not exist.`)
}

/**
 * Throws the API's error for a missing version.
 * @throws EngineError `not_found` always
 */
export function versionMissing({ algorithm, version }: VersionName): never {
  const message = `Version '${version}' of algorithm '${algorithm}' does not exist.`
  throw new EngineError('not_found', message)
}
