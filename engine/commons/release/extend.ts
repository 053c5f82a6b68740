import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { WrittenFile } from '../../shared/arrays/array-file.ts'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import { linkFile } from './copy-file.ts'
import type { ReleaseManifest } from './layout.ts'
import { type PlaceOptions, placeRelease, sorted } from './place-release.ts'

interface ExtendOptions extends PlaceOptions {
  /** Manifest of the release that is extended. */
  readonly from: ReleaseManifest
  /** Folder of the release that is extended. */
  readonly fromFolder: string
  /** Writers of new or changed files, each called with the path to write. */
  readonly files: Readonly<Record<string, (path: string) => Promise<WrittenFile>>>
}

/**
 * Creates a release that differs from another release in some files. All other files are hard links, which take
 * no space.
 * @throws EngineError already_exists; corrupt_source if a file had to be copied and is damaged
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
    const { dataRelease, version, earlierReleases = from.earlierReleases, createdAt } = facts
    const named = {
      id,
      dataRelease,
      version,
      ...(earlierReleases && { earlierReleases }),
      createdAt,
    }
    return { ...from, ...named, files: sorted(written) }
  })
}
