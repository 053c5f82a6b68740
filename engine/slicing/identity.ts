import type { BigIntStats } from 'node:fs'

/**
 * What tells one state of a file from another without reading it. Anything learned about a file
 * (directory, ledger, parsed index) is kept under its identity and dropped when that changes.
 */
export interface FileIdentity {
  readonly size: number
  /** Nanoseconds since the epoch, as text: more than a double holds. */
  readonly modified: string
  readonly inode: string
}

export function identityOf(stats: BigIntStats): FileIdentity {
  return {
    size: Number(stats.size),
    modified: String(stats.mtimeNs),
    inode: String(stats.ino),
  }
}

export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.size === b.size && a.modified === b.modified && a.inode === b.inode
}
