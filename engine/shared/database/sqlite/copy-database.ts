import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { syncFile, syncFolder } from '../../durable.ts'
import { outsideError } from './errors.ts'

/** How long another process's transaction may hold the beginning up. */
const BUSY_TIMEOUT_MS = 10_000
/**
 * More than a database has. In several steps, a writer between two of them would have the copy begin
 * anew, again and again.
 */
const ALL_PAGES = 1_000_000_000

/**
 * Copies a database, page by page out of one snapshot, while others read and write it. A copy that is
 * there already is replaced when the new one is whole.
 * @returns false when there is no such database
 * @throws EngineError as openConnection
 */
export async function copyDatabase(from: string, to: string): Promise<boolean> {
  if (!existsSync(from)) return false
  const part = `${to}.part`
  await rm(part, { force: true })
  try {
    const source = new DatabaseSync(from, { timeout: BUSY_TIMEOUT_MS })
    try {
      await backup(source, part, { rate: ALL_PAGES })
    } finally {
      source.close()
    }
  } catch (error) {
    throw outsideError(error, `the database "${from}"`)
  }
  await syncFile(part)
  // They belong to the copy that was there before.
  for (const suffix of ['-wal', '-shm']) await rm(`${to}${suffix}`, { force: true })
  await rename(part, to)
  await syncFolder(dirname(to))
  return true
}
