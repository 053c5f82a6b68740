import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onlyOnce } from '../concurrency/only-once.ts'
import { EngineError } from '../errors.ts'
import { outsideError } from './sqlite/errors.ts'
import { LOCK_THE_FILE } from './sqlite/lock-file.ts'

const LOCK_FILE = 'serving.lock'

const SQLITE_BUSY = 5

/**
 * Locks a data folder for one server. Returns the function that unlocks it. Commands do not take this lock,
 * because they work beside a server.
 * @throws EngineError `unavailable` if another server has locked the folder or the folder is not writable
 */
export function takeFolder(folder: string): () => void {
  const giveBack = tryLock(join(folder, LOCK_FILE), `the lock of data folder "${folder}"`)
  if (!giveBack) throw inUse(folder)
  return giveBack
}

/**
 * Takes a lock. Returns the function that releases it, or undefined if another process has the lock. The lock is
 * an open SQLite transaction on a file of its own, which is a file lock of the operating system. It ends with
 * the process in any case, and a leftover file has no effect.
 * @throws EngineError `unavailable` if the file is not writable
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
  // Keeps a reference, because a garbage-collected connection would be closed and release the lock.
  process.on('exit', giveBack)
  return giveBack
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

function inUse(folder: string): EngineError {
  return new EngineError(
    'unavailable',
    `data folder "${folder}" is served by another casemill; stop that one, give this one another folder, or give both a PostgreSQL database`,
  )
}
