import { chmod, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessAbsent } from '../engine/shared/internal.ts'

/** What lies in a data folder and holds state, controlled bytes, or what can be seen of them. */
const ENTRIES: readonly string[] = Object.freeze([
  ...['state.sqlite', 'database.sqlite'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]),
  ...['serving.lock', 'files', 'uploads', 'incoming', 'releases'],
])

/** What nobody but the user may; the group may read where that is wanted. */
function forbiddenBits(groupReads: boolean): number {
  return groupReads ? 0o027 : 0o077
}

/** Has files that are made from now on be this user's alone, unless the umask is stricter still. */
export function makeFilesPrivate(groupReads: boolean): void {
  process.umask(process.umask() | forbiddenBits(groupReads))
}

/**
 * Takes from others what earlier versions have let them do with a data folder. What lies deeper is
 * behind its folders.
 * @returns a sentence for each entry that was changed or cannot be
 */
export async function closeFolder(folder: string, groupReads: boolean): Promise<string[]> {
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
