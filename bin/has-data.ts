import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EngineError, statePath } from '../engine/shared/index.ts'

/** Returns whether casemill has ever stored anything in a folder. */
export function hasData(folder: string): boolean {
  return existsSync(statePath(folder)) || existsSync(join(folder, 'releases'))
}

/** Creates the error for a folder without data. */
export function noData(folder: string): EngineError {
  return new EngineError(
    'not_found',
    `no casemill data in "${folder}"; name its folder with --data`,
  )
}
