import type { ObjectFolder } from '../../shared/blobs/object-folder.ts'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Releases } from '../release/releases.ts'
import { type Content, fetchContents, listOf, objectName } from './contents.ts'
import { provedContents } from './local-contents.ts'
import type { ListedRelease, OfferedRelease, Offers } from './offers.ts'

export interface ObjectsContext {
  readonly releases: Releases
  readonly offers: Offers
  readonly bucket: ObjectFolder
  readonly clock: () => Date
}

interface Run {
  readonly signal?: AbortSignal | undefined
}

/** Objects removed from the bucket with a release. */
export interface RemovedObjects {
  readonly objects: number
  readonly bytes: number
  /** Number of objects that were kept because another release uses them. */
  readonly shared: number
}

/** Names of the objects that offered releases use. */
interface Named {
  readonly names: ReadonlySet<string>
  /** Ids of releases whose file list cannot be read. */
  readonly unread: readonly string[]
}

const DAY_MILLISECONDS = 86_400_000
/** Age after which an object that no offered release uses is removed. */
const MAX_AGE_MILLISECONDS = 7 * DAY_MILLISECONDS
/** Age up to which an unused object is safe to rely on while a release is published. */
const SAFE_AGE_MILLISECONDS = MAX_AGE_MILLISECONDS - DAY_MILLISECONDS

/** The objects in the bucket, and the releases that use them. */
export class Objects {
  readonly #context: ObjectsContext
  readonly #objects: ReadonlyMap<string, { readonly bytes: number; readonly modified: Date }>
  readonly #named: Named
  readonly #now: number

  private constructor(
    context: ObjectsContext,
    objects: ReadonlyMap<string, { readonly bytes: number; readonly modified: Date }>,
    named: Named,
  ) {
    this.#context = context
    this.#objects = objects
    this.#named = named
    this.#now = context.clock().getTime()
  }

  static async read(context: ObjectsContext, { signal }: Run): Promise<Objects> {
    const objects = new Map<string, { readonly bytes: number; readonly modified: Date }>()
    for await (const { key, ...facts } of context.bucket.list()) {
      signal?.throwIfAborted()
      objects.set(key, facts)
    }
    const offers = await context.offers.list()
    return new Objects(context, objects, await namesOf(offers, context, signal))
  }

  /** Returns whether an object is complete and will not be removed during this operation. */
  has(content: Content): boolean {
    const name = objectName(content)
    const object = this.#objects.get(name)
    if (object?.bytes !== content.bytes) return false
    return this.#named.names.has(name) || this.#ageOf(object) < SAFE_AGE_MILLISECONDS
  }

  /**
   * Removes old objects that no offered release uses, such as those of an interrupted publication. Removes nothing
   * if the file list of a release cannot be read. Returns the number of removed objects.
   */
  async sweep({ signal }: Run): Promise<number> {
    // A release offered in the meantime may use objects that were unused before.
    const offers = await this.#context.offers.list()
    const { names, unread } = await namesOf(offers, this.#context, signal)
    if (unread.length > 0) return 0
    const old = [...this.#objects].filter(
      ([name, object]) => !names.has(name) && this.#ageOf(object) > MAX_AGE_MILLISECONDS,
    )
    await eachOf(old, async ([name]) => {
      signal?.throwIfAborted()
      await this.#context.bucket.remove(name)
    })
    return old.length
  }

  /**
   * Removes the objects that only a withdrawn release uses. Its file list goes last, so that an interrupted
   * removal can be resumed.
   * @throws EngineError corrupt_source if the objects of other releases cannot be determined
   */
  async removeOf(release: ListedRelease, { signal }: Run): Promise<RemovedObjects> {
    const { names, unread } = this.#named
    if (unread.length > 0) throw unknownShares(unread)
    const list = objectName(listOf(release))
    const { bucket } = this.#context
    // If the list of a release is gone, all of the release's objects that could be identified have been removed.
    const contents = this.#objects.has(list)
      ? (await fetchContents(bucket, release, signal)).contents
      : { files: {} }
    const own = new Set(Object.values(contents.files).map(objectName))
    const gone = [...own].filter((name) => !names.has(name) && this.#objects.has(name))
    await eachOf(gone, async (name) => {
      signal?.throwIfAborted()
      await bucket.remove(name)
    })
    if (this.#objects.has(list)) await bucket.remove(list)
    const bytes = gone.reduce((sum, name) => sum + (this.#objects.get(name)?.bytes ?? 0), 0)
    return { objects: gone.length, bytes, shared: own.size - gone.length }
  }

  #ageOf({ modified }: { readonly modified: Date }): number {
    return this.#now - modified.getTime()
  }
}

/** Collects the object names of releases. Uses local file lists if they exist. */
async function namesOf(
  offers: readonly OfferedRelease[],
  { bucket, releases }: ObjectsContext,
  signal: AbortSignal | undefined,
): Promise<Named> {
  const names = new Set<string>()
  const unread: string[] = []
  for (const offer of offers) {
    names.add(objectName(listOf(offer)))
    try {
      const contents =
        (await provedContents(releases, offer)) ??
        (await fetchContents(bucket, offer, signal)).contents
      for (const content of Object.values(contents.files)) names.add(objectName(content))
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      unread.push(offer.id)
    }
  }
  return { names, unread }
}

function unknownShares(unread: readonly string[]): EngineError {
  const ids = unread.map((id) => `"${id}"`).join(', ')
  const message = `the list of files of ${ids} cannot be read, so it is not known what other releases have, and nothing was removed; send it again with casemill release publish --anew`
  return new EngineError('corrupt_source', message)
}
