import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Puts a small file in place by a rename; it and its name are on the disk when this resolves. */
export async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const temporary = join(folder, `.${name}.${process.pid}.part`)
  try {
    const file = await open(temporary, 'w')
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

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}

/** Names in a folder survive a loss of power only when the folder itself is on the disk. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    // Some systems do not open folders; they have no such call either.
    if (error.code === 'EISDIR' || error.code === 'EPERM') return undefined
    throw error
  })
  await handle?.sync().finally(() => handle.close())
}
