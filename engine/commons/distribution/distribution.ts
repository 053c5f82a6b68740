import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectStore } from '../../shared/blobs/object-store.ts'
import type { Database } from '../../shared/database/database.ts'
import { tryLock } from '../../shared/database/folder-lock.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import type { Report } from '../../shared/events.ts'
import { Releases } from '../release/releases.ts'
import type { CurrentRelease } from '../search/current-release.ts'
import { RELEASE_OBJECTS } from './contents.ts'
import type { ObjectsContext } from './objects.ts'
import { type OfferedRelease, Offers, type ReleasePointer, type SeenNode } from './offers.ts'
import { type PublishedRelease, type PublishRun, publishRelease } from './publish-release.ts'
import { type PullContext, pullRelease } from './pull-release.ts'
import { ReleaseNode } from './release-node.ts'
import { type SwitchedRelease, type SwitchRun, switchRelease } from './switch-release.ts'
import { type WithdrawnRelease, type WithdrawRun, withdrawRelease } from './withdraw-release.ts'

interface DistributionContext {
  readonly dataFolder: string
  /** Database that has the RELEASE_TABLES. */
  readonly database: Database
  readonly objects: ObjectStore
  readonly space: DiskSpace
  readonly clock?: (() => Date) | undefined
  /** Milliseconds between polls of the database. By default 1,000 for a node, and 500 for a switch. */
  readonly lookMilliseconds?: number | undefined
}

/** An offered release and the nodes that have downloaded it. */
export interface ListedOffer extends OfferedRelease {
  readonly isCurrent: boolean
  /** Live nodes that are ready to serve the release. */
  readonly nodes: readonly string[]
}

const LOCK_FILE = 'releases.lock'
const WAIT_MILLISECONDS = 500

/**
 * Releases shared by several nodes. Their files are in the bucket. The database has an offer, a row for each
 * release that nodes may download, and the release that all nodes should serve.
 */
export class Distribution {
  readonly #offers: Offers
  readonly #lockPath: string
  readonly #lookMilliseconds: number | undefined
  readonly #context: ObjectsContext & PullContext

  constructor(context: DistributionContext) {
    const { dataFolder, database, objects, space, clock } = context
    const offers = new Offers(database)
    this.#offers = offers
    this.#lockPath = join(dataFolder, LOCK_FILE)
    this.#lookMilliseconds = context.lookMilliseconds
    this.#context = {
      releases: new Releases(dataFolder),
      offers,
      bucket: objects.folder(RELEASE_OBJECTS),
      space,
      clock: clock ?? (() => new Date()),
      known: () => offers.list(),
    }
  }

  /** Uploads a local release to the bucket and offers it, as publishRelease does. */
  publish(id: string, run?: PublishRun): Promise<PublishedRelease> {
    return publishRelease(id, this.#context, run)
  }

  /** Switches all nodes to an offered release; see switchRelease. */
  switchTo(id: string, run?: SwitchRun): Promise<SwitchedRelease> {
    return switchRelease(id, this.#offers, run, this.#lookMilliseconds)
  }

  /** Withdraws an offer and removes the objects that no other release uses, as withdrawRelease does. */
  withdraw(id: string, run?: WithdrawRun): Promise<WithdrawnRelease> {
    return withdrawRelease(id, this.#context, run)
  }

  /** Lists offered releases in the order of their offers. */
  async list(): Promise<readonly ListedOffer[]> {
    const [offers, pointer, nodes] = await Promise.all([
      this.#offers.list(),
      this.#offers.pointer(),
      this.#offers.liveNodes(),
    ])
    return offers.map((offer) => ({
      ...offer,
      isCurrent: offer.id === pointer.id,
      nodes: nodes.filter(({ ready }) => ready.includes(offer.id)).map(({ node }) => node),
    }))
  }

  /** Lists nodes that reported within the last minute. */
  nodes(): Promise<readonly SeenNode[]> {
    return this.#offers.liveNodes()
  }

  pointer(): Promise<ReleasePointer> {
    return this.#offers.pointer()
  }

  /**
   * Makes the release that all nodes serve the current one of this folder, before the next release is built from
   * it. If a server uses the folder, waits until the server has pulled the release. Returns the release id, if
   * there is one.
   * @param onWait called once if a server pulls the release
   * @throws EngineError like pullRelease
   */
  async bringCurrent(
    signal?: AbortSignal,
    onWait?: (id: string) => void,
  ): Promise<string | undefined> {
    const { id } = await this.#offers.pointer()
    if (id === undefined) return undefined
    const { releases } = this.#context
    for (let looks = 0; ; looks++) {
      signal?.throwIfAborted()
      if ((await releases.current().catch(() => undefined)) === id) return id
      const unlock = await this.#tryLock()
      if (unlock) {
        try {
          const offer = await this.#offers.find(id)
          if (offer) await pullRelease(offer, this.#context, { signal })
          await releases.switchTo(id)
        } finally {
          unlock()
        }
      } else {
        if (looks === 1) onWait?.(id)
        await sleep(WAIT_MILLISECONDS, undefined, { signal })
      }
    }
  }

  /** Makes a release of the folder its current one. */
  name(id: string): Promise<void> {
    return this.#context.releases.switchTo(id)
  }

  /**
   * Creates the node that keeps a server's folder in step with the shared state.
   * @internal
   */
  node(current: CurrentRelease, report: Report): ReleaseNode {
    return new ReleaseNode({
      ...this.#context,
      offers: this.#offers,
      current,
      report,
      lockPath: this.#lockPath,
      lookMilliseconds: this.#lookMilliseconds,
    })
  }

  async #tryLock(): Promise<(() => void) | undefined> {
    return tryLock(this.#lockPath, 'the lock of the releases')
  }
}
