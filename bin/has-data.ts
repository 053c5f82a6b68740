import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EngineError, statePath } from '../engine/shared/index.ts'

/** Whether casemill has ever stored anything in a folder; one that is not there holds nothing. */
export function hasData(folder: string): boolean {
  return existsSync(statePath(folder)) || existsSync(join(folder, 'releases'))
}

/** The error of a folder that holds no data. */
export function noData(folder: string): EngineError {
  return new EngineError('not_found', `no casemill data in "${folder}"; give its folder by --data`)
}
