import { readFileSync } from 'node:fs'

const LIMITS = '/proc/self/limits'

/** Maximum number of descriptors that are always in use: a release, the database, threads and their files. */
const MAX_RESERVE = 256

/**
 * Returns the limit on this process's file descriptors, or `undefined` if there is no limit or it is unknown.
 * Node raises the soft limit to the hard limit at start.
 */
export function readOpenFilesLimit(path = LIMITS): number | undefined {
  let limits: string
  try {
    limits = readFileSync(path, 'utf8')
  } catch {
    // The system is not Linux, or the file cannot be read. The limit on connections then ignores file descriptors.
    return undefined
  }
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/** Returns how many connections may be open, so that each can have a file open as well and a reserve remains. */
export function maxConnections(openFiles: number | undefined): number {
  if (openFiles === undefined) return Number.POSITIVE_INFINITY
  const reserve = Math.min(MAX_RESERVE, openFiles / 4)
  return Math.max(1, Math.floor((openFiles - reserve) / 2))
}
