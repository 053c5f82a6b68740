import pg from 'pg'
import { descriptorShortage } from '../../descriptors.ts'
import { EngineError } from '../../errors.ts'
import { ConstraintError } from '../database.ts'

const CONSTRAINTS: Readonly<Record<string, ConstraintError['kind']>> = {
  23505: 'unique',
  23503: 'foreign_key',
  23514: 'check',
  23502: 'not_null',
}

/** Retry-After in seconds if the database is away or full. */
export const RETRY_SECONDS = 10

const FULL_DISK = '53100'

/** SQLSTATE prefixes (PostgreSQL manual, appendix A) of external failures, with their error codes and messages. */
const OUTSIDE_ERRORS: readonly (readonly [string, 'busy' | 'unavailable', string])[] = [
  ['40', 'busy', 'gave precedence to another transaction; try again'],
  ['55P03', 'busy', 'is locked by another writer for too long; try again'],
  ['57014', 'busy', 'broke off a statement that took too long; try again'],
  ['53300', 'busy', 'has too many connections; try again'],
  ['08', 'unavailable', 'cannot be reached'],
  ['25006', 'unavailable', 'takes no writes; give the address of the primary server'],
  ['25P03', 'unavailable', 'ended a transaction that stood still for too long'],
  ['28', 'unavailable', 'does not admit this user; look at name and password'],
  ['3D', 'unavailable', 'does not exist; create it'],
  ['42501', 'unavailable', 'denies this user a right; grant it'],
  ['53', 'unavailable', 'has no room; look at its disk and memory'],
  ['57P', 'unavailable', 'is being stopped or started; try again'],
  ['58', 'unavailable', 'cannot use its disk'],
  ['XX', 'unavailable', 'has an internal error; look at its log'],
]

/** Class of syntax and name errors, whose messages quote the statement and no values. */
const SPEAKS_OF_SQL = /^42/

/**
 * Converts an error of PostgreSQL: an external failure to an EngineError, a violated constraint to a
 * ConstraintError, a bug to a plain error. Most messages of PostgreSQL are left out, because they contain values
 * that may identify a patient.
 */
export function postgresqlError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof EngineError) return error
  const code = 'code' in error ? String(error.code) : ''
  if (!(error instanceof pg.DatabaseError)) return connectionError(error)
  const constraint = CONSTRAINTS[code]
  if (constraint) return new ConstraintError(constraint)
  const failure = OUTSIDE_ERRORS.find(([start]) => code.startsWith(start))
  const cause = new Error(
    SPEAKS_OF_SQL.test(code) ? `${code}: ${error.message}` : `SQLSTATE ${code}`,
  )
  if (failure) {
    const details = { cause, retryAfterSeconds: RETRY_SECONDS }
    return new EngineError(failure[1], `the database ${failure[2]}`, details)
  }
  return new Error('a statement is refused by the database', { cause })
}

/** Returns whether the connection is no longer usable. */
export function breaksConnection(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return !(error instanceof EngineError)
  return /^(FATAL|PANIC)$/.test(error.severity ?? '')
}

/** Converts errors of the client and the network. Their messages contain hosts and ports but no passwords. */
function connectionError(error: Error): EngineError {
  const shortage = descriptorShortage(error)
  if (shortage) return shortage
  const message = 'the database cannot be reached, or the connection to it was lost'
  return new EngineError('unavailable', message, {
    cause: error,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

export function isFullDisk(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === FULL_DISK
}
