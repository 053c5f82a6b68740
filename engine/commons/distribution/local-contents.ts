import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import { writeDurably } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import type { Releases } from '../release/releases.ts'
import { contentOf, type ReleaseContents, readContents } from './contents.ts'
import type { ListedRelease } from './offers.ts'

// The file list of a verified release is stored beside its folder. Its name shows whether the release was
// pulled or published.
type Came = 'pulled' | 'published'
/** Name prefix of the folder that an unfinished pull fills. */
export const PULLING = '.pulling-'
/** Name prefix of the folder of a release that is being removed. */
const REMOVED = '.removed-'
/** Number of files that are read concurrently. */
const AT_ONCE = 4

const nameOf = (came: Came, id: string) => `.${came}-${id}.json`

/** Records that a local release has exactly the files in a list. */
export function noteProved(
  releases: Releases,
  { id, came, text }: { readonly id: string; readonly came: Came; readonly text: string },
): Promise<void> {
  return writeDurably(releases.path, nameOf(came, id), text)
}

/** Returns the file list of a release, if the release has been verified in this folder. Undefined otherwise. */
export async function provedContents(
  releases: Releases,
  offer: ListedRelease,
): Promise<ReleaseContents | undefined> {
  if (!(await unlessAbsent(stat(releases.folder(offer.id))))) return undefined
  for (const came of ['pulled', 'published'] as const) {
    const text = await unlessAbsent(readFile(join(releases.path, nameOf(came, offer.id))))
    if (!text) continue
    try {
      return readContents(text, offer)
    } catch (error) {
      // The list belongs to another release with the same id.
      if (!(error instanceof EngineError) && !(error instanceof SyntaxError)) throw error
    }
  }
  return undefined
}

/**
 * Verifies all files of a folder.
 * @throws EngineError conflict naming the first file that differs from the list
 */
export async function proveFolder(
  folder: string,
  { id, files }: ReleaseContents,
  signal?: AbortSignal,
): Promise<void> {
  await eachOf(
    Object.entries(files),
    async ([path, { bytes, sha256 }]) => {
      const found = await unlessAbsent(contentOf(join(folder, path), signal))
      if (found?.bytes === bytes && found.sha256 === sha256) return
      const message = `"${path}" of release "${id}" in this folder is not that of the release that is offered; remove the folder of the release, or offer it by another id`
      throw new EngineError('conflict', message, { at: path })
    },
    { atOnce: AT_ONCE },
  )
}

/** Removes pulled releases, complete or not, except those to keep. It must not run during a pull. */
export async function removePulled(releases: Releases, kept: ReadonlySet<string>): Promise<void> {
  for (const name of (await unlessAbsent(readdir(releases.path))) ?? []) {
    const path = join(releases.path, name)
    const isLeft = name.startsWith(PULLING) && !kept.has(name.slice(PULLING.length))
    if (name.startsWith(REMOVED) || isLeft) await rm(path, { recursive: true, force: true })
    const id = /^\.pulled-(.+)\.json$/.exec(name)?.[1]
    if (id === undefined || kept.has(id)) continue
    // The folder is renamed first, so that no process sees a release that is partly removed.
    const removed = join(releases.path, `${REMOVED}${id}`)
    await unlessAbsent(rename(releases.folder(id), removed))
    await rm(removed, { recursive: true, force: true })
    await rm(path, { force: true })
  }
}
