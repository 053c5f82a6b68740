import { randomUUID } from 'node:crypto'
import type { Database, Transaction } from '../../shared/database/database.ts'
import { allServers, beatServer, removeServers } from './store/servers.ts'

const BEAT_MILLISECONDS = 10_000

/** Milliseconds without heartbeat after which a server counts as dead, or as so slow that its work will fail. */
const DEAD_AFTER_MILLISECONDS = 60_000

/**
 * If so many milliseconds pass between two polls of a server, for example because the database hangs, it cannot
 * tell dead servers from those that were delayed like itself. One interval is subtracted, because a heartbeat
 * that it saw at its last poll may already have been that old.
 */
const BLIND_AFTER_MILLISECONDS = DEAD_AFTER_MILLISECONDS - BEAT_MILLISECONDS

/**
 * Determines which servers of a database are alive. Each server increments a counter, and the others watch
 * whether it grows. Each uses its own clock, so that clocks need not agree.
 */
export class LivingServers {
  /** Id of this server. */
  readonly id = randomUUID()
  readonly #database: Database
  readonly #now: () => number
  /** Last counter of each other server, with the time since which it has not changed. */
  readonly #seen = new Map<string, { readonly beats: number; readonly since: number }>()
  #lastLook = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #isKnown = false

  /** @param now monotonic clock in milliseconds */
  constructor(database: Database, now: () => number = () => performance.now()) {
    this.#database = database
    this.#now = now
  }

  /** Calls `onBeat` at every beat. `onBeat` must call `beat`. After a failure, the next beat tries again. */
  start(onBeat: () => Promise<unknown>, onError: (error: unknown) => void): void {
    clearInterval(this.#timer)
    this.#timer = setInterval(() => onBeat().catch(onError), BEAT_MILLISECONDS)
    this.#timer.unref()
  }

  /** Sends one heartbeat and removes dead servers. Returns the living servers, including this one. */
  async beat(transaction: Transaction): Promise<ReadonlySet<string>> {
    await this.#appear(transaction)
    const now = this.#now()
    const wasBlind = now - this.#lastLook > BLIND_AFTER_MILLISECONDS
    this.#lastLook = now
    const dead: string[] = []
    const living = new Set<string>()
    for (const { id, beats } of await allServers(transaction)) {
      const seen = this.#seen.get(id)
      if (seen?.beats !== beats || wasBlind) this.#seen.set(id, { beats, since: now })
      else if (id !== this.id && now - seen.since > DEAD_AFTER_MILLISECONDS) dead.push(id)
      if (!dead.includes(id)) living.add(id)
    }
    await removeServers(transaction, dead)
    for (const id of dead) this.#seen.delete(id)
    return living
  }

  /** Removes all other servers. For a database that only this server uses. */
  async beatAlone(transaction: Transaction): Promise<ReadonlySet<string>> {
    const others = (await allServers(transaction)).filter(({ id }) => id !== this.id)
    await removeServers(
      transaction,
      others.map(({ id }) => id),
    )
    await this.#appear(transaction)
    return new Set([this.id])
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    if (!this.#isKnown) return
    await this.#database.write((transaction) => removeServers(transaction, [this.id]))
  }

  #appear(transaction: Transaction): Promise<void> {
    this.#isKnown = true
    return beatServer(transaction, this.id)
  }
}
