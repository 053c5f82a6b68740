import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../durable.ts'
import { ownedPath } from '../streams/owned-folder.ts'
import { unlessAbsent } from '../unless-absent.ts'

const NAME_FILE = 'node'

/** Returns the name of the folder of a record, or undefined if it has none. */
export async function readNodeName(root: string): Promise<string | undefined> {
  return (await unlessAbsent(readFile(join(root, NAME_FILE), 'utf8')))?.trim()
}

/** Returns the name of the folder of a record. Creates it on first use, once for all processes that start. */
export async function nodeNameOf(root: string): Promise<string> {
  const known = await readNodeName(root)
  if (known) return known
  await mkdir(root, { recursive: true })
  const part = await ownedPath(root, `.${NAME_FILE}.part-`)
  try {
    const file = await open(part, 'wx')
    try {
      await file.writeFile(`${randomUUID()}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    // Unlike a rename, this fails if another process was faster.
    await link(part, join(root, NAME_FILE)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(part, { force: true })
  }
  await syncFolder(root)
  const made = await readNodeName(root)
  if (made) return made
  throw new Error('the name of the audit record was removed while it was made')
}
