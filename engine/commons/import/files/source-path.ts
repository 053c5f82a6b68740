import { stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { checkName } from '../../../shared/blobs/blob-key.ts'
import { NO_PATH, unlessAbsent } from '../../../shared/unless-absent.ts'

/**
 * Finds a file below the given folder: under its name in the folder of the first id that has it, or in the
 * folder itself. Symbolic links are followed, since the folder's owner chose them.
 * @throws EngineError bad_input if the name is not a plain file name
 */
export async function findSource(
  from: string,
  ids: readonly string[],
  name: string,
): Promise<string | undefined> {
  checkName(name, 'filename')
  const root = resolve(from)
  for (const path of [...ids.map((id) => join(root, id, name)), join(root, name)]) {
    if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) continue
    const stats = await unlessAbsent(stat(path), NO_PATH)
    if (stats?.isFile()) return path
  }
  return undefined
}
