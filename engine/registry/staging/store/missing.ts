import { EngineError } from '../../../shared/errors.ts'
import type { SchemaOrTable, VersionName } from './entities.ts'

/** Throws the API's error for a missing schema or table. */
export function missing(kind: SchemaOrTable, id: string): never {
  const what = kind === 'schema' ? 'Schema' : 'Table'
  throw new EngineError('not_found', `${what} '${id}' does not exist.`)
}

export function versionMissing({ algorithm, version }: VersionName): never {
  const message = `Version '${version}' of algorithm '${algorithm}' does not exist.`
  throw new EngineError('not_found', message)
}
