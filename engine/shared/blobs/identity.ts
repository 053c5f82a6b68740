import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FactSchema } from '../arrays/array-schema.ts'

/**
 * Distinguishes one state of a file from another without reading it. Everything derived from a file (directory,
 * ledger, parsed index) is stored with the identity of the file and dropped when it changes.
 *
 * The identity of an object is its size and entity tag. The tag is derived from the bytes, so it stays the same
 * if the same bytes are uploaded again, whereas the modification time does not.
 */
export interface FileIdentity {
  readonly size: number
  /** Modification time in nanoseconds since the epoch, as text because a double cannot represent it. */
  readonly modified: string
  /** Inode number of a local file, or the quoted entity tag of an object. */
  readonly inode: string
}

/** Schema of an identity among the facts of an array file. */
export const IDENTITY_FACTS = {
  size: 'number',
  modified: 'string',
  inode: 'string',
} as const satisfies FactSchema & Record<keyof FileIdentity, unknown>

/** Returns the identity of a local file: size, modification time and inode. */
export function identityOf(stats: BigIntStats): FileIdentity {
  return {
    size: Number(stats.size),
    modified: String(stats.mtimeNs),
    inode: String(stats.ino),
  }
}

/** Builds the identity of an object from the metadata that object storage returns. */
export function objectIdentity(size: number, entityTag: string, modified: Date): FileIdentity {
  return {
    size,
    modified: String(BigInt(modified.getTime()) * 1_000_000n),
    // Some servers omit the quotes.
    inode: `"${entityTag.replaceAll('"', '')}"`,
  }
}

/** Returns whether two identities are of the same bytes. For objects in a bucket, the entity tag decides. */
export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  const sameTime = a.modified === b.modified || a.inode.startsWith('"')
  return a.size === b.size && a.inode === b.inode && sameTime
}

/** Returns a short text that is equal for two identities if and only if sameIdentity is true. */
export function fingerprintOf({ size, modified, inode }: FileIdentity): string {
  const time = inode.startsWith('"') ? '' : modified
  const sum = createHash('sha256')
    .update(JSON.stringify([size, inode, time]))
    .digest()
  return sum.subarray(0, 16).toString('base64url')
}
