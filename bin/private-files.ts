import { chmod, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessAbsent } from '../engine/shared/internal.ts'

/** Entries of a data folder that contain state, controlled bytes, or data derived from these. */
const ENTRIES: readonly string[] = Object.freeze([
  ...['state.sqlite', 'database.sqlite'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]),
  'serving.lock',
  'audit',
  'files',
  'uploads',
  'incoming',
  'releases',
])

/** Returns the permission bits to remove: all of others, and those of the group except reading if allowed. */
function forbiddenBits(groupReads: boolean): number {
  return groupReads ? 0o027 : 0o077
}

/** Sets the umask so that only this user can access new files. A stricter umask is kept. */
export function makeFilesPrivate(groupReads: boolean): void {
  process.umask(process.umask() | forbiddenBits(groupReads))
}

/**
 * Removes permissions that earlier versions granted on a data folder. Deeper entries are protected by their
 * folders.
 * @returns a sentence for each entry that was changed or could not be
 */
export async function restrictFolder(folder: string, groupReads: boolean): Promise<string[]> {
  const sentences: string[] = []
  for (const name of ENTRIES) {
    const path = join(folder, name)
    const stats = await unlessAbsent(lstat(path))
    const forbidden = forbiddenBits(groupReads)
    if (!stats || stats.isSymbolicLink() || (stats.mode & forbidden) === 0) continue
    const [before, after] = [stats.mode & 0o777, stats.mode & 0o777 & ~forbidden]
    const change = `"${name}" of the data folder from mode ${octal(before)} to ${octal(after)}`
    sentences.push(
      await chmod(path, after).then(
        () => `changed ${change}`,
        () => `cannot change ${change}; its owner has to`,
      ),
    )
  }
  return sentences
}

const octal = (mode: number) => mode.toString(8).padStart(4, '0')
