import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { EngineError } from '../../errors.ts'
import { outsideFault } from './faults.ts'

/** How long a writer waits for another process's transaction before it gives up. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Opens (creating) a database that loses nothing it has acknowledged. Several processes may have it
 * open.
 * @throws EngineError `unavailable` when it cannot be opened, `corrupt_source` when it is none
 */
export function openConnection(path: string, subject: string): DatabaseSync {
  let connection: DatabaseSync | undefined
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
    // The timeout is set with the opening: two processes that change the journal mode of a new
    // file before they have one both fail with "database is locked".
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
  } catch (cause) {
    connection?.close()
    throw outsideFault(cause, subject)
  }
}

const SQLITE_BUSY = 5
const RETRY_MILLISECONDS = 5

/**
 * Changes the journal mode and tells which one there is now. Where several processes do this to a
 * new file, all hold a lock that the others wait for, and SQLite then refuses some of them at once
 * instead of waiting (sqlite.org/c3ref/busy_handler.html): those try again.
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
