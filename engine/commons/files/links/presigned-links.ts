import type { BlobKey } from '../../../shared/blobs/blob-key.ts'
import type { ObjectStore, PresignedUrl } from '../../../shared/blobs/object-store.ts'

/** The longest that an address is good for; nobody can recall it. */
export const PRESIGNED_SECONDS = 900

/** Addresses that are kept: some megabytes. */
const MAX_KEPT = 10_000

/** Which files' addresses are given out. */
export interface Presigning {
  readonly open: boolean
  readonly controlled: boolean
}

/** Addresses of objects that the storage itself serves, each used again while half of its time is left. */
export class PresignedLinks {
  readonly #objects: ObjectStore
  readonly #clock: () => Date
  readonly #kept = new Map<string, PresignedUrl>()

  constructor(objects: ObjectStore, clock: () => Date) {
    this.#objects = objects
    this.#clock = clock
  }

  /** @throws EngineError unavailable without credentials */
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
