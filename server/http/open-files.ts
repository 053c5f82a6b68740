import { readFileSync } from 'node:fs'

const LIMITS = '/proc/self/limits'

/** Reserved for what is always open, at most: a release, the database, threads and their files. */
const MAX_RESERVE = 256

/**
 * How many descriptors, of files and connections, the system lets this process have; `undefined` where
 * it does not say or has no bound. Node has raised the soft limit to the hard one when it started.
 */
export function readOpenFilesLimit(path = LIMITS): number | undefined {
  let limits: string
  try {
    limits = readFileSync(path, 'utf8')
  } catch {
    // Not Linux, or it does not say: connections are not bounded by it then.
    return undefined
  }
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/** So many that each of them can have a file beside its own descriptor, and a reserve is left. */
export function maxConnections(openFiles: number | undefined): number {
  if (openFiles === undefined) return Number.POSITIVE_INFINITY
  const reserve = Math.min(MAX_RESERVE, openFiles / 4)
  return Math.max(1, Math.floor((openFiles - reserve) / 2))
}
