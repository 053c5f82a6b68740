import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { EngineError } from '../../errors.ts'
import { isFull, outsideError } from './errors.ts'

/** Milliseconds for which a writer waits for a transaction of another process. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Opens a database with durable commits, and creates it if needed. Several processes may have it open. If the
 * disk is full, it is opened for this process alone: it can be read, and written once there is space.
 * @throws EngineError `unavailable` if it cannot be opened, `corrupt_source` if the file is not a database
 */
export function openConnection(path: string, subject: string): DatabaseSync {
  try {
    return openAt(path, subject)
  } catch (error) {
    if (!isFull(error)) throw outsideError(error, subject)
  }
  try {
    // Processes share a database through a file, for which there is no space now. With this VFS the shared
    // state is in memory and other processes are locked out. Later connections of this process share it,
    // whatever VFS they ask for (sqlite.org/vfs.html#standard_unix_vfses).
    const alone = pathToFileURL(path)
    alone.searchParams.set('vfs', 'unix-excl')
    return openAt(alone, subject)
  } catch (cause) {
    throw outsideError(cause, subject)
  }
}

function openAt(path: string | URL, subject: string): DatabaseSync {
  let connection: DatabaseSync | undefined
  try {
    if (typeof path === 'string' && path !== ':memory:') {
      mkdirSync(dirname(path), { recursive: true })
    }
    // The timeout must be set on opening: if two processes change the journal mode of a new file without
    // one, both fail with "database is locked".
    const options = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true }
    connection = new DatabaseSync(path, options)
    const mode = keepWriteAheadLog(connection)
    if (mode !== 'wal' && path !== ':memory:') {
      throw new EngineError(
        'unavailable',
        `${subject} cannot keep a write-ahead log; use a folder on a local disk`,
      )
    }
    connection.exec('PRAGMA synchronous = FULL')
    return connection
  } catch (error) {
    connection?.close()
    throw error
  }
}

const SQLITE_BUSY = 5
const RETRY_MILLISECONDS = 5

/**
 * Enables the write-ahead log and returns the resulting journal mode. If several processes do this to a new
 * file, SQLite avoids a deadlock by rejecting some of them without waiting
 * (sqlite.org/c3ref/busy_handler.html). They retry.
 */
function keepWriteAheadLog(connection: DatabaseSync): unknown {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  const deadline = Date.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return connection.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode
    } catch (error) {
      const isBusy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
      if (!isBusy || Date.now() > deadline) throw error
      Atomics.wait(sleeper, 0, 0, RETRY_MILLISECONDS)
    }
  }
}
