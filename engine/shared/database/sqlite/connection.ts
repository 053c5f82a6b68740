import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { EngineError } from '../../errors.ts'
import { isFull, outsideError } from './errors.ts'

/** How long a writer waits for another process's transaction before it gives up. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Opens (creating) a database that loses nothing it has acknowledged. Several processes may have it
 * open. On a full disk it is opened all the same, for this process alone: it can be read, and written
 * as soon as there is space.
 * @throws EngineError `unavailable` when it cannot be opened, `corrupt_source` when it is none
 */
export function openConnection(path: string, subject: string): DatabaseSync {
  try {
    return openAt(path, subject)
  } catch (error) {
    if (!isFull(error)) throw outsideError(error, subject)
  }
  try {
    // What processes share of a database lies in a file, for which there is no space now. Here it lies
    // in memory, and other processes are locked out. Connections of this process that are opened later
    // share it, whichever way they are opened (sqlite.org/vfs.html#standard_unix_vfses).
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
  } catch (error) {
    connection?.close()
    throw error
  }
}

const SQLITE_BUSY = 5
const RETRY_MILLISECONDS = 5

/**
 * Changes the journal mode and returns which one there is now. Where several processes do this to a
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
