import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import { syncFile, syncFolder, writeDurably } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import type { ReleaseManifest } from './layout.ts'
import { MANIFEST_NAME, manifestText } from './manifest.ts'
import { checkReleaseId } from './releases.ts'

export interface ReleaseFactsGiven {
  /** Name, such as `Data Release 1.0`. */
  readonly dataRelease: string
  readonly version: ReleaseManifest['version']
  readonly earlierReleases?: ReleaseManifest['earlierReleases']
  /** Time of creation in ISO 8601. Nothing else in a release depends on when it was built. */
  readonly createdAt: string
  /** Name of the folder. Derived from `createdAt` by default. */
  readonly id?: string | undefined
}

export interface PlaceOptions {
  /** Path of the releases folder. */
  readonly folder: string
  readonly facts: ReleaseFactsGiven
  readonly signal?: AbortSignal | undefined
}

const TEMPORARY = '.building-'

/**
 * Builds a release in a temporary folder. Renames the folder when everything is on disk. The next build removes
 * what an interrupted build left. Only one build per folder may run at a time.
 * @param make fills the folder and returns the manifest, which is written last
 * @throws EngineError already_exists; bad_input for an invalid id
 */
export async function placeRelease(
  { folder, facts, signal }: PlaceOptions,
  make: (temporary: string, id: string) => Promise<ReleaseManifest>,
): Promise<ReleaseManifest> {
  const id = checkReleaseId(facts.id ?? facts.createdAt.replace(/[^0-9a-z]/gi, ''))
  const target = join(folder, id)
  await mkdir(folder, { recursive: true })
  if (await unlessAbsent(stat(target))) {
    throw new EngineError('already_exists', `there is a release "${id}" already`, { at: 'id' })
  }
  await removeUnfinished(folder)
  const temporary = join(folder, `${TEMPORARY}${id}`)
  await mkdir(temporary)
  try {
    const manifest = await make(temporary, id)
    await syncAll(temporary)
    await writeDurably(temporary, MANIFEST_NAME, manifestText(manifest))
    signal?.throwIfAborted()
    await rename(temporary, target)
    await syncFolder(folder)
    return manifest
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw error
  }
}

/** Removes leftovers of interrupted builds in the releases folder. Must not run during a build. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of (await unlessAbsent(readdir(folder))) ?? []) {
    if (name.startsWith(TEMPORARY)) await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** Syncs all files and folders to disk. */
async function syncAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = (isFolder: boolean) =>
    entries
      .filter((entry) => entry.isDirectory() === isFolder)
      .map((entry) => join(entry.parentPath, entry.name))
  await eachOf(paths(false), syncFile)
  await eachOf(paths(true), syncFolder)
}

/** Sorts members by name, so that the order of completion does not matter. */
export function sorted<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}
