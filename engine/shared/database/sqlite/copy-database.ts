import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { syncFile, syncFolder } from '../../durable.ts'
import { outsideError } from './errors.ts'

/** Milliseconds for which the start may wait for a transaction of another process. */
const BUSY_TIMEOUT_MS = 10_000
/** Greater than the number of pages of any database, so that the copy is a single step, which no write restarts. */
const ALL_PAGES = 1_000_000_000

/**
 * Copies a database from one snapshot, while other processes read and write it. An existing copy is replaced
 * after the new one is complete.
 * @returns false if the database does not exist
 * @throws EngineError like openConnection
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
  // These files belong to the copy that is replaced.
  for (const suffix of ['-wal', '-shm']) await rm(`${to}${suffix}`, { force: true })
  await rename(part, to)
  await syncFolder(dirname(to))
  return true
}
