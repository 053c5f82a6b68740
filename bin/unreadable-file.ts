import { EngineError } from '../engine/shared/index.ts'

/** The error of a file that was named on the command line and that cannot be opened, with the system's reason. */
export function unreadableFile(path: string, cause: unknown): EngineError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason'
  if (code === 'ENOENT')
    return new EngineError('not_found', `there is no file at "${path}"`, { cause })
  const message = `"${path}" cannot be read (${code}); give a file that this user may read`
  return new EngineError('bad_input', message, { cause })
}
