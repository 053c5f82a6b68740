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
 * disk is full, it is opened for this process alone. It can then be read, and also written once there is space.
 * @param subject names the database at the start of error messages, such as `database "PATH"`
 * @throws EngineError `busy` if it stays locked by another process, `unavailable` if it cannot be opened,
 *   `corrupt_source` if the file is not a database
 */
export function openConnection(path: string, subject: string): DatabaseSync {
  try {
    return openAt(path, subject)
  } catch (error) {
    if (!isFull(error)) throw outsideError(error, subject)
  }
  try {
    // Processes share the index of the write-ahead log through a file (`-shm`). There is no space for that file
    // now. With this VFS, the index is in memory and other processes are locked out. Later connections of this
    // process share the index, whatever VFS they request (sqlite.org/vfs.html#standard_unix_vfses).
    const exclusiveUrl = pathToFileURL(path)
    exclusiveUrl.searchParams.set('vfs', 'unix-excl')
    return openAt(exclusiveUrl, subject)
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
    // The timeout must be set when the database is opened, because the first statement already needs it.
    // Otherwise, processes that change the journal mode of a new file at the same time fail with "database is
    // locked". The timeout does not cover all of these conflicts (enableWriteAheadLog).
    const options = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true }
    connection = new DatabaseSync(path, options)
    const mode = enableWriteAheadLog(connection)
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
 * Switches to the write-ahead log and returns the resulting journal mode. If several processes do this to a new
 * file, SQLite avoids a deadlock by rejecting some of them at once, despite their timeout
 * (sqlite.org/c3ref/busy_handler.html). This function retries until the timeout is over.
 */
function enableWriteAheadLog(connection: DatabaseSync): unknown {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  const deadline = Date.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return connection.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode
    } catch (error) {
      // The low byte of an extended result code is the primary code.
      const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
      if ((errcode & 0xff) !== SQLITE_BUSY || Date.now() > deadline) throw error
      Atomics.wait(sleeper, 0, 0, RETRY_MILLISECONDS)
    }
  }
}
