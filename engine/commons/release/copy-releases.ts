import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../../shared/durable.ts'
import type { FolderCopy } from '../../shared/folder-copy.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { MANIFEST_NAME } from './manifest.ts'
import { POINTER, RELEASES_FOLDER, Releases } from './releases.ts'

/**
 * Copies all releases and the pointer to the current one. The pointer is read first, so that a release which
 * becomes current during the copy is left to the next copy.
 * @returns paths of releases that disappeared during the copy
 */
export async function copyReleases(copy: FolderCopy): Promise<readonly string[]> {
  const pointer = await unlessAbsent(readFile(join(copy.from, RELEASES_FOLDER, POINTER), 'utf8'))
  const names = await new Releases(copy.from).names()
  const gone: string[] = []
  for (const name of names) {
    const path = join(RELEASES_FOLDER, name)
    if (!(await copy.folder(path, MANIFEST_NAME))) gone.push(path)
  }
  await copy.keepOnly(RELEASES_FOLDER, new Set([...names, POINTER]))
  if (pointer !== undefined) await writeDurably(join(copy.to, RELEASES_FOLDER), POINTER, pointer)
  return gone
}
