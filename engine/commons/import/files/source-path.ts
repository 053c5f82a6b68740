import { stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { checkName } from '../../../shared/blobs/blob-key.ts'
import { NO_PATH, unlessAbsent } from '../../../shared/unless-absent.ts'

/**
 * Returns the path of a file below a folder: in the first subfolder that is named by one of the ids and has the
 * file, or in the folder itself. Symbolic links are followed, because the owner of the folder has created them.
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
