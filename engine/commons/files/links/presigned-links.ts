import type { BlobKey } from '../../../shared/blobs/blob-key.ts'
import type { ObjectStore, PresignedUrl } from '../../../shared/blobs/object-store.ts'

/** Lifetime of a presigned address in seconds, short because it cannot be revoked. */
const PRESIGNED_SECONDS = 900

/** Maximum number of cached addresses: some megabytes. */
const MAX_KEPT = 10_000

/** Kinds of files for which presigned addresses are given out. */
export interface Presigning {
  readonly open: boolean
  readonly controlled: boolean
}

/** Presigned addresses of objects. An address is reused while at least half of its lifetime is left. */
export class PresignedLinks {
  readonly #objects: ObjectStore
  readonly #clock: () => Date
  readonly #kept = new Map<string, PresignedUrl>()

  constructor(objects: ObjectStore, clock: () => Date) {
    this.#objects = objects
    this.#clock = clock
  }

  /**
   * Returns a presigned address.
   * @throws EngineError unavailable without credentials
   */
  async of(key: BlobKey): Promise<PresignedUrl> {
    const name = this.#objects.nameOf(key)
    const kept = this.#kept.get(name)
    const now = this.#clock()
    if (kept && kept.expiresAt.getTime() - now.getTime() >= (PRESIGNED_SECONDS * 1000) / 2)
      return kept
    const made = await this.#objects.presign(key, { now, seconds: PRESIGNED_SECONDS })
    this.#kept.delete(name)
    this.#kept.set(name, made)
    if (this.#kept.size > MAX_KEPT) {
      const [oldest] = this.#kept.keys()
      if (oldest !== undefined) this.#kept.delete(oldest)
    }
    return made
  }
}
