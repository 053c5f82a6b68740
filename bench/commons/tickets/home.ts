import { copyFile, mkdir, rm, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openAlignment } from '../../../engine/commons/slicing/alignment.ts'
import { localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { pathsOf } from '../../../engine/commons/slicing/stored.ts'
import { openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import type { Home } from '../slicing/input.ts'

/** Project of the file. */
export const PROJECT = 'BENCH-1'

interface ControlledHome extends Home {
  /** The secret of who may read the file. */
  readonly token: string
}

/** A second data folder with the same file, controlled: ranges of it are fetched with a signed link. */
export async function controlledHome({ folder, file, paths }: Home): Promise<ControlledHome> {
  const controlled = `${folder}-controlled`
  await rm(controlled, { recursive: true, force: true })
  const engine = await openEngine({ dataFolder: controlled, executor: inlineExecutor })
  try {
    const { blobs, files, tokens } = engine.shared
    const target = pathsOf(blobs.folder, file)
    await mkdir(dirname(target.path), { recursive: true })
    await symlink(paths.path, target.path)
    await copyFile(paths.indexPath!, target.indexPath!)
    await copyFile(paths.directoryPath!, target.directoryPath!)
    const { blob, directory } = await openAlignment(localAlignment(target), inlineExecutor)
    await blob.close()
    if (!directory) throw new Error('the block directory is not that of the file')
    await files.add({ ...file, access: 'controlled', acl: [PROJECT] })
    const { secret } = await tokens.create({ user: 'bench', projects: [PROJECT] })
    return { folder: controlled, file, paths: target, token: secret }
  } finally {
    await engine.close()
  }
}
