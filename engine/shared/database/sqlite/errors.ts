import { descriptorShortage } from '../../descriptors.ts'
import { diskFull } from '../../disk-space.ts'
import { EngineError, type ErrorCode } from '../../errors.ts'
import { explainSystemError } from '../../input/system-error.ts'
import { ConstraintError } from '../database.ts'
import { unsafeInteger } from '../values.ts'

/** Primary result codes of external failures (sqlite.org/rescode.html). */
const OUTSIDE_ERRORS: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [5, ['busy', 'is locked by another process; try again']],
  [8, ['unavailable', 'is not writable; give this user the right to write its folder']],
  [10, ['unavailable', 'cannot be read or written; look at the disk']],
  [11, ['corrupt_source', 'is damaged; restore it']],
  [14, ['unavailable', 'cannot be opened; look at its folder and the rights on it']],
  [26, ['corrupt_source', 'is no SQLite database; give another data folder']],
])

/** Extended result codes of violated constraints. */
const CONSTRAINTS: ReadonlyMap<number, ConstraintError['kind']> = new Map([
  [275, 'check'],
  [787, 'foreign_key'],
  [1299, 'not_null'],
  [1555, 'unique'],
  [2067, 'unique'],
  [2579, 'unique'],
])

const SQLITE_FULL = 13
/** Extended result code: the shared-memory file cannot be enlarged. */
const SQLITE_IOERR_SHMSIZE = 4874

/** Returns whether a write failed because the disk is full. */
export function isFull(error: unknown): boolean {
  if (!(error instanceof Error && 'errcode' in error)) return false
  const errcode = Number(error.errcode)
  return (errcode & 0xff) === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE
}

/** Converts an external failure to an EngineError. Any other error is a bug and is returned unchanged. */
export function outsideError(error: unknown, subject: string): unknown {
  if (!(error instanceof Error) || error instanceof EngineError) return error
  if (isFull(error)) return diskFull(subject, error)
  // The low byte of an extended result code is the primary code.
  const errcode = 'errcode' in error ? Number(error.errcode) & 0xff : undefined
  const failure = errcode === undefined ? undefined : OUTSIDE_ERRORS.get(errcode)
  if (failure) return new EngineError(failure[0], `${subject} ${failure[1]}`, { cause: error })
  const shortage = descriptorShortage(error)
  if (shortage) return shortage
  const explained = explainSystemError(error)
  if (!(explained instanceof EngineError)) return error
  return new EngineError('unavailable', `${subject}: ${explained.message}`, { cause: error })
}

/** Converts an error of a statement like outsideError, and violated constraints to ConstraintErrors. */
export function statementError(error: unknown, subject = 'the database'): unknown {
  if (error instanceof Error && 'errcode' in error) {
    const constraint = CONSTRAINTS.get(Number(error.errcode))
    if (constraint) return new ConstraintError(constraint)
  }
  const isUnsafe = error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
  return isUnsafe ? unsafeInteger(error) : outsideError(error, subject)
}
