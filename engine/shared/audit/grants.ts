import { AsyncLocalStorage } from 'node:async_hooks'
import type { Principal } from '../access/principal.ts'
import type { RecordedIds } from './record-line.ts'

/** Controlled data that one check has permitted. */
export interface Grant {
  /** Who may have it. Undefined only if the caller is not known by a token. */
  readonly principal: Principal | undefined
  /** Ids of files whose bytes or values are permitted. */
  readonly files?: readonly string[]
  /** Ids of cases whose values are permitted. */
  readonly cases?: readonly string[]
  /** Ids of projects whose submitted data are permitted. */
  readonly projects?: readonly string[]
  /**
   * Returns the ids of submitted entities that were read, or whose change was asked for. It is only called while the
   * record is kept, because there may be 100,000. More are in a list, which is the only one of its request.
   */
  readonly entities?: (() => Iterable<string> | RecordedIds) | undefined
  /** Id of the transaction of a submission. */
  readonly transaction?: number | undefined
  /** Id of the release that the permission comes from. */
  readonly release?: string | undefined
  /** Whether the answer has such data even if its status is that of an error. */
  readonly withErrors?: true
  /** Whether the request changed who may have what, so that an answer without a body counts, too. */
  readonly isChange?: true
  /** Whether the request only took rights away, which stays done even if its line cannot be written. */
  readonly isRevocation?: true
}

/** Everything that was granted while one request was answered. */
interface Collected {
  readonly grants: readonly Grant[]
  /** Rejects later grants, because the record of the request is being written. */
  readonly seal: () => void
}

class Collection implements Collected {
  readonly grants: Grant[] = []
  #isSealed = false

  readonly seal = () => {
    this.#isSealed = true
  }

  add(grant: Grant): void {
    if (this.#isSealed) throw new Error('controlled data are granted after the record was written')
    this.grants.push(grant)
  }
}

/**
 * Collects what the engine permits during each request, so that the server can record it before it answers. The
 * collection follows the request through everything that it awaits. A check that permits controlled data outside
 * of a request throws while the record is kept, so nothing can be given out unrecorded by a forgotten call.
 */
export class Grants {
  readonly #storage = new AsyncLocalStorage<Collection>()
  readonly #isRecorded: boolean

  /** @param isRecorded whether a record is kept; if not, nothing is collected */
  constructor(isRecorded: boolean) {
    this.#isRecorded = isRecorded
  }

  /** Runs `act` and everything that it awaits with a collection of its own. */
  collect<Result>(act: (collected: Collected) => Result): Result {
    const collection = new Collection()
    return this.#storage.run(collection, () => act(collection))
  }

  /** Notes that controlled data are permitted. Call it in every check that permits them, after it has passed. */
  add(grant: Grant): void {
    if (!this.#isRecorded) return
    const collection = this.#storage.getStore()
    if (!collection) throw new Error('controlled data are granted outside of a recorded request')
    collection.add(grant)
  }
}
