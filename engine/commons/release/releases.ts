import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import type { ReleaseManifest } from './layout.ts'
import { readManifest } from './manifest.ts'

/**
 * Facts about a release that do not require opening it.
 * @interface
 */
export type ReleaseFacts = Pick<
  ReleaseManifest,
  'id' | 'dataRelease' | 'version' | 'earlierReleases' | 'createdAt'
>

/** Matches names that a release's folder may have. Unfinished builds start with a dot. */
const ID = /^[a-z0-9][a-z0-9._-]{0,99}$/i

export const RELEASES_FOLDER = 'releases'
export const POINTER = 'current'
/** File with the id of the previous release. */
const BEFORE = '.before'
const POINTER_PATH = `${RELEASES_FOLDER}/${POINTER}`
const NAME_ONE = `write the name of a folder of "${RELEASES_FOLDER}" into it, or import with --replace`

const isReleaseId = (id: string) => ID.test(id) && id.toLowerCase() !== POINTER

/**
 * Validates a release id.
 * @throws EngineError bad_input if it is malformed
 */
export function checkReleaseId(id: string): string {
  if (isReleaseId(id)) return id
  throw new EngineError(
    'bad_input',
    `release id "${id.slice(0, 80)}" is none: letters, digits, ".", "_" and "-", at most 100`,
    { at: 'id' },
  )
}

/** The releases of a data folder and the pointer to the current one. */
export class Releases {
  readonly path: string

  constructor(dataFolder: string) {
    this.path = join(dataFolder, RELEASES_FOLDER)
  }

  /**
   * Returns the folder of a release.
   * @throws EngineError bad_input for an invalid id
   */
  folder(id: string): string {
    return join(this.path, checkReleaseId(id))
  }

  /**
   * Returns the id of the current release. Undefined if there has never been a release.
   * @throws EngineError not_found if there are releases but no pointer; corrupt_source if the pointer cannot
   *   be read or is invalid
   */
  async current(): Promise<string | undefined> {
    const id = await this.#pointed()
    if (id !== undefined || (await this.names()).length === 0) return id
    throw new EngineError('not_found', `"${POINTER_PATH}" is missing; ${NAME_ONE}`)
  }

  /** Returns the id of the previous current release, if it is known. */
  async before(): Promise<string | undefined> {
    const text = await unlessAbsent(readFile(join(this.path, BEFORE), 'utf8'))
    const id = text?.trim()
    return id !== undefined && isReleaseId(id) ? id : undefined
  }

  async #pointed(): Promise<string | undefined> {
    const reading = unlessAbsent(readFile(join(this.path, POINTER), 'utf8'))
    const text = await reading.catch((cause: unknown) => {
      throw unreadable(POINTER_PATH, cause)
    })
    if (text === undefined) return undefined
    const id = text.trim()
    if (isReleaseId(id)) return id
    throw new EngineError('corrupt_source', `"${POINTER_PATH}" names no release; ${NAME_ONE}`)
  }

  /**
   * Makes the only release the current one. This completes a first import that was interrupted before its last
   * step. The caller must be the only one that builds releases in the data folder.
   */
  async nameOnly(): Promise<void> {
    const [id, ...others] = await this.names()
    if (id === undefined || others.length > 0 || (await this.#pointed()) !== undefined) return
    await this.switchTo(id)
  }

  /**
   * Makes a release the current one. Readers of the pointer see either the old or the new id.
   * @throws EngineError not_found if there is no such release
   */
  async switchTo(id: string): Promise<void> {
    await readManifest(this.folder(id))
    const before = await this.#pointed().catch(() => undefined)
    if (before !== undefined && before !== id) {
      await writeDurably(this.path, BEFORE, `${before}\n`)
    }
    await writeDurably(this.path, POINTER, `${id}\n`)
  }

  /**
   * Makes a release that was just built the current one. If this fails, removes the release, so that a failed
   * import leaves nothing.
   * @throws EngineError like switchTo
   */
  async switchToNew(id: string): Promise<void> {
    try {
      await this.switchTo(id)
    } catch (error) {
      // If the pointer cannot be read, it may already refer to this release, so the release is kept.
      if ((await this.#pointed().catch(() => id)) !== id) {
        await rm(this.folder(id), { recursive: true, force: true })
      }
      throw error
    }
  }

  /**
   * Returns the names of all folders that may have a release.
   * @throws EngineError corrupt_source if they cannot be listed
   */
  async names(): Promise<string[]> {
    const names = await unlessAbsent(readdir(this.path)).catch((cause: unknown) => {
      throw unreadable(RELEASES_FOLDER, cause)
    })
    return (names ?? []).filter(isReleaseId).sort()
  }

  /**
   * Returns the facts of all releases, oldest first. Folders without a valid release are skipped.
   * @throws EngineError busy; corrupt_source if they cannot be listed
   */
  async list(): Promise<ReleaseFacts[]> {
    const facts: ReleaseFacts[] = []
    for (const name of await this.names()) {
      const manifest = await readManifest(join(this.path, name)).catch(nothingOfDamaged)
      if (!manifest) continue
      const { id, dataRelease, version, earlierReleases, createdAt } = manifest
      facts.push({
        id,
        dataRelease,
        version,
        createdAt,
        ...(earlierReleases && { earlierReleases }),
      })
    }
    const key = ({ createdAt, id }: ReleaseFacts) => `${createdAt} ${id}`
    return facts.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  }
}

function nothingOfDamaged(error: unknown): undefined {
  const isDamage =
    error instanceof EngineError && ['not_found', 'corrupt_source'].includes(error.code)
  if (!isDamage) throw error
}

function unreadable(path: string, cause: unknown): EngineError {
  const { code = 'unknown reason' } = cause as NodeJS.ErrnoException
  return new EngineError('corrupt_source', `"${path}" cannot be read (${code})`, { cause })
}
