import { EngineError } from '../../../shared/errors.ts'
import { arraysOf } from '../../release/arrays.ts'
import { Release } from '../../release/release.ts'
import type { Releases } from '../../release/releases.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import { LISTING_KEYS, rowsListing } from './listed-files.ts'

interface ReleasedFilesContext {
  readonly current: CurrentRelease
  readonly releases: Releases
}

/**
 * Returns whether the current release, or an older one that is still stored, contains a file. Opens older
 * releases for the check.
 * @throws EngineError unavailable or corrupt_source if a release cannot be checked
 */
export async function isReleased(
  id: string,
  { current, releases }: ReleasedFilesContext,
): Promise<boolean> {
  const served = await current.leaseForGuards()
  try {
    if (served && (await speaksOf(id, served.release))) return true
  } catch (error) {
    throw served ? served.errorOf(error) : error
  } finally {
    served?.end()
  }
  for (const name of await releases.names()) {
    if (name !== served?.release.id && (await isStored(id, releases.folder(name)))) return true
  }
  return false
}

async function isStored(id: string, folder: string): Promise<boolean> {
  const release = await Release.open(folder).catch(unlessNone)
  try {
    return release !== undefined && (await speaksOf(id, release))
  } finally {
    await release?.close()
  }
}

/** Ignores folders without a release. */
function unlessNone(error: unknown): undefined {
  if (!(error instanceof EngineError) || error.code !== 'not_found') throw error
}

async function speaksOf(id: string, release: Release): Promise<boolean> {
  const lease = release.retain()
  try {
    if ((await release.find('files', id)) !== undefined) return true
    return rowsListing([id], arraysOf(await release.load(LISTING_KEYS))).size > 0
  } finally {
    lease.release()
  }
}
