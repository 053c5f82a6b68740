import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onlyOnce } from '../concurrency/only-once.ts'
import { EngineError } from '../errors.ts'
import { outsideError } from './sqlite/errors.ts'
import { LOCK_THE_FILE } from './sqlite/lock-file.ts'

const LOCK_FILE = 'serving.lock'

const SQLITE_BUSY = 5

/**
 * Takes a data folder for one server; returns the function that gives it back. Commands do not ask:
 * they work beside a server.
 * @throws EngineError `unavailable` when another server has it, or the folder cannot be written
 */
export function takeFolder(folder: string): () => void {
  const giveBack = tryLock(join(folder, LOCK_FILE), `the lock of data folder "${folder}"`)
  if (!giveBack) throw inUse(folder)
  return giveBack
}

/**
 * Takes a lock; returns the function that gives it back, and nothing while another process has it. The
 * lock is an open transaction of SQLite on a file of its own, which is a lock of the system on that file:
 * it ends with its process, however that ends, and the file that stays behind says nothing.
 * @throws EngineError `unavailable` when the file cannot be written
 */
export function tryLock(path: string, subject: string): (() => void) | undefined {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path, { timeout: 0 })
    lock.exec(LOCK_THE_FILE)
  } catch (error) {
    lock?.close()
    if (isLocked(error)) return undefined
    throw outsideError(error, subject)
  }
  const held = lock
  const giveBack = onlyOnce(() => {
    process.off('exit', giveBack)
    held.close()
  })
  // Holds on to it: a connection that is collected as garbage would be closed, and the lock gone.
  process.on('exit', giveBack)
  return giveBack
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

function inUse(folder: string): EngineError {
  return new EngineError(
    'unavailable',
    `data folder "${folder}" is served by another casemill; stop that, give this one a folder of its own, or give both a PostgreSQL database`,
  )
}
