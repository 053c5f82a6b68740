import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { WrittenFile } from '../../shared/arrays/array-file.ts'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import { linkFile } from './copy-file.ts'
import type { ReleaseManifest } from './layout.ts'
import { type PlaceOptions, placeRelease, sorted } from './place-release.ts'

export interface ExtendOptions extends PlaceOptions {
  /** The release that is extended. */
  readonly from: ReleaseManifest
  /** Its folder. */
  readonly fromFolder: string
  /** Writes each new or other file to the path it is given. */
  readonly files: Readonly<Record<string, (path: string) => Promise<WrittenFile>>>
}

/**
 * Makes a release that differs from another one in some files. All other files are the same on the
 * disk, by hard links, so it takes no space for them.
 * @throws EngineError already_exists; corrupt_source when a file had to be copied and is damaged
 */
export function extendRelease(options: ExtendOptions): Promise<ReleaseManifest> {
  const { from, fromFolder, facts, files, signal } = options
  return placeRelease(options, async (temporary, id) => {
    const cached = Object.entries(from.files).filter(([name]) => !Object.hasOwn(files, name))
    await eachOf(cached, async ([name, written]) => {
      signal?.throwIfAborted()
      const path = join(temporary, name)
      await mkdir(dirname(path), { recursive: true })
      await linkFile(join(fromFolder, name), path, written)
    })
    const written: Record<string, WrittenFile> = Object.fromEntries(cached)
    for (const [name, write] of Object.entries(files)) {
      written[name] = await write(join(temporary, name))
    }
    const { dataRelease, version, createdAt } = facts
    return { ...from, id, dataRelease, version, createdAt, files: sorted(written) }
  })
}
