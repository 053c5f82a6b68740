import { randomUUID } from 'node:crypto'
import type { Database, Transaction } from '../../shared/database/database.ts'
import { allServers, beatServer, removeServers } from './store/servers.ts'

const BEAT_MILLISECONDS = 10_000

/** A server without a heartbeat for this long is dead, or so slow that its work will fail. */
const DEAD_AFTER_MILLISECONDS = 60_000

/**
 * After a gap of this length between two of its own polls, a server cannot distinguish dead servers from those
 * that were delayed like itself, for example by a hanging database. One interval is subtracted, because a
 * heartbeat that it saw at its last poll may already have been that old.
 */
const BLIND_AFTER_MILLISECONDS = DEAD_AFTER_MILLISECONDS - BEAT_MILLISECONDS

/**
 * Determines which servers of a database are alive. Each increments a counter; the others watch whether it
 * grows, each by its own clock, so clocks need not agree.
 */
export class LivingServers {
  /** Id of this server. */
  readonly id = randomUUID()
  readonly #database: Database
  readonly #now: () => number
  /** Last counters seen of other servers, with the time since which they are unchanged. */
  readonly #seen = new Map<string, { readonly beats: number; readonly since: number }>()
  #lastLook = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #isKnown = false

  /** @param now monotonic clock in milliseconds */
  constructor(database: Database, now: () => number = () => performance.now()) {
    this.#database = database
    this.#now = now
  }

  /** Calls `onBeat` at every beat; it must call `beat`. A failure is retried with the next beat. */
  start(onBeat: () => Promise<unknown>, onError: (error: unknown) => void): void {
    clearInterval(this.#timer)
    this.#timer = setInterval(() => onBeat().catch(onError), BEAT_MILLISECONDS)
    this.#timer.unref()
  }

  /** Sends one heartbeat, removes dead servers, and returns the living ones including this one. */
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
