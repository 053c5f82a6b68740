import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LOCK_THE_FILE } from '../../../shared/database/sqlite/lock-file.ts'
import { EngineError } from '../../../shared/errors.ts'

// Primary result codes (sqlite.org/rescode.html).
const SQLITE_BUSY = 5
const SQLITE_CANTOPEN = 14

/** A folder that one process at a time works in. */
export interface LockedFolder {
  readonly folder: string
  /** Removes the folder with all that is in it. The lock ends with `close` alone. */
  remove(): Promise<void>
  /** Lets others in; what is in the folder stays. Again does no harm. */
  close(): void
}

/**
 * Makes the folder if need be and locks it for this caller.
 * @throws EngineError conflict, with the message that is given, when somebody else has it
 */
export async function lockFolder(folder: string, message: string): Promise<LockedFolder> {
  for (;;) {
    await mkdir(folder, { recursive: true })
    const lock = await takeLock(join(folder, 'lock.sqlite'), message)
    if (!lock) continue
    return {
      folder,
      remove: () => rm(folder, { recursive: true, force: true }),
      close: () => {
        if (lock.isOpen) lock.close()
      },
    }
  }
}

/**
 * Takes the lock, or nothing when its last holder finished and removed it meanwhile. It is a lock
 * of the system on an empty database, so it ends with its process however that ends, and it does
 * not matter whether another process has got the same number since.
 */
async function takeLock(path: string, message: string): Promise<DatabaseSync | undefined> {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path)
    const opened = await inodeOf(path)
    lock.exec(LOCK_THE_FILE)
    if (opened !== undefined && opened === (await inodeOf(path))) return lock
  } catch (cause) {
    lock?.close()
    const code = cause instanceof Error && 'errcode' in cause ? cause.errcode : undefined
    // The folder was removed between its making and the opening.
    if (code === SQLITE_CANTOPEN && (await inodeOf(path)) === undefined) return undefined
    if (code !== SQLITE_BUSY) throw cause
    throw new EngineError('conflict', message, { cause })
  }
  lock.close()
  return undefined
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  return stat(path, { bigint: true }).then(
    ({ ino }) => ino,
    () => undefined,
  )
}
