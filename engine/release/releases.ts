import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../durable.ts'
import { EngineError } from '../errors.ts'
import type { ReleaseManifest } from './layout.ts'
import { readManifest } from './manifest.ts'

/** What is told of a release without opening it. */
export type ReleaseFacts = Pick<ReleaseManifest, 'id' | 'dataRelease' | 'version' | 'createdAt'>

/** Names that a release's folder can bear. Those of builds under way start with a dot. */
const ID = /^[a-z0-9][a-z0-9._-]{0,99}$/i

const POINTER = 'current'

/** @throws EngineError bad_input */
export function checkReleaseId(id: string): string {
  if (ID.test(id) && id.toLowerCase() !== POINTER) return id
  throw new EngineError(
    'bad_input',
    `release id "${id.slice(0, 80)}" is none: letters, digits, ".", "_" and "-", at most 100`,
    { at: 'id' },
  )
}

/** The releases of a data folder, and which of them is served. */
export class Releases {
  readonly path: string

  constructor(dataFolder: string) {
    this.path = join(dataFolder, 'releases')
  }

  /** @throws EngineError bad_input when the id cannot be one */
  folder(id: string): string {
    return join(this.path, checkReleaseId(id))
  }

  /** The id of the release that is to be served. */
  async current(): Promise<string | undefined> {
    try {
      const id = (await readFile(join(this.path, POINTER), 'utf8')).trim()
      return ID.test(id) ? id : undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /**
   * Makes a release the current one. Who reads the pointer sees the old or the new one.
   * @throws EngineError not_found when there is no such release
   */
  async switchTo(id: string): Promise<void> {
    await readManifest(this.folder(id))
    await writeDurably(this.path, POINTER, `${id}\n`)
  }

  /** Names of all folders that may hold a release. */
  async names(): Promise<string[]> {
    const names = await readdir(this.path).catch((): string[] => [])
    return names.filter((name) => ID.test(name) && name !== POINTER).sort()
  }

  /** Facts of all releases, oldest first. Folders that hold none are passed over. */
  async list(): Promise<ReleaseFacts[]> {
    const facts: ReleaseFacts[] = []
    for (const name of await this.names()) {
      const manifest = await readManifest(join(this.path, name)).catch(() => undefined)
      if (!manifest) continue
      const { id, dataRelease, version, createdAt } = manifest
      facts.push({ id, dataRelease, version, createdAt })
    }
    const key = ({ createdAt, id }: ReleaseFacts) => `${createdAt} ${id}`
    return facts.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  }
}
