import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FactSchema } from '../arrays/array-schema.ts'

/**
 * What distinguishes one state of a file from another without reading it. Anything learned about a file
 * (directory, ledger, parsed index) is kept under its identity and dropped when that changes.
 *
 * Of an object in object storage it is size and entity tag: the tag is made from the bytes, so it
 * is the same wherever it is asked from and after the same bytes were stored again, while the time
 * of modification is that of the last upload.
 */
export interface FileIdentity {
  readonly size: number
  /** Nanoseconds since the epoch, as text: more than a double holds. */
  readonly modified: string
  /** Number of a file; entity tag of an object, which is always in quotes. */
  readonly inode: string
}

/** An identity among the facts of an array file. */
export const IDENTITY_FACTS = {
  size: 'number',
  modified: 'string',
  inode: 'string',
} as const satisfies FactSchema & Record<keyof FileIdentity, unknown>

export function identityOf(stats: BigIntStats): FileIdentity {
  return {
    size: Number(stats.size),
    modified: String(stats.mtimeNs),
    inode: String(stats.ino),
  }
}

/** Identity of an object, from what object storage says of it. */
export function objectIdentity(size: number, entityTag: string, modified: Date): FileIdentity {
  return {
    size,
    modified: String(BigInt(modified.getTime()) * 1_000_000n),
    // Some servers leave the quotes out.
    inode: `"${entityTag.replaceAll('"', '')}"`,
  }
}

export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  const sameTime = a.modified === b.modified || a.inode.startsWith('"')
  return a.size === b.size && a.inode === b.inode && sameTime
}

/** A short text for one state of stored bytes: equal for those, and only those, that sameIdentity takes. */
export function fingerprintOf({ size, modified, inode }: FileIdentity): string {
  const time = inode.startsWith('"') ? '' : modified
  const sum = createHash('sha256')
    .update(JSON.stringify([size, inode, time]))
    .digest()
  return sum.subarray(0, 16).toString('base64url')
}
