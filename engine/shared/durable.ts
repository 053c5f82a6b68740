import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ownedPath } from './streams/owned-folder.ts'

/**
 * Writes a small file atomically. When the promise resolves, the file and its name are durable. What killed processes
 * have left of the same file is deleted.
 * @param text content, whole or in pieces
 */
export async function writeDurably(
  folder: string,
  name: string,
  text: string | Iterable<string>,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const temporary = await ownedPath(folder, `.${name}.part-`)
  try {
    const file = await open(temporary, 'wx')
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, join(folder, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
}

/** Writes a file's data to the disk, so that it survives a power loss. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}

/** Syncs a folder. Only then does a new name in the folder survive a power loss. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    // A system that cannot open folders cannot sync them either.
    if (error.code === 'EISDIR' || error.code === 'EPERM') return undefined
    throw error
  })
  await handle?.sync().finally(() => handle.close())
}
