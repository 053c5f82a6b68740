import { randomUUID } from 'node:crypto'
import type { Database, Transaction } from '../../shared/database/database.ts'
import { allServers, beatServer, removeServers } from './store/servers.ts'

const BEAT_MILLISECONDS = 10_000

/** A server without a beat for so long is dead, or so slow that what it does will fail. */
const DEAD_AFTER_MILLISECONDS = 60_000

/**
 * Without a look for so long, a server cannot distinguish the dead from those that were held up like
 * itself, as by a database that hung: the last beat that it saw may be one beat older than its last look.
 */
const BLIND_AFTER_MILLISECONDS = DEAD_AFTER_MILLISECONDS - BEAT_MILLISECONDS

/**
 * Finds which of the servers of one database are alive. Each counts its beats up; the others look
 * whether the count goes on, each by its own clock, so that clocks need not agree.
 */
export class LivingServers {
  /** This server's. */
  readonly id = randomUUID()
  readonly #database: Database
  readonly #now: () => number
  /** The beats of others, and since when they are that many. */
  readonly #seen = new Map<string, { readonly beats: number; readonly since: number }>()
  #lastLook = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #isKnown = false

  /** @param now milliseconds of a clock that is never set */
  constructor(database: Database, now: () => number = () => performance.now()) {
    this.#database = database
    this.#now = now
  }

  /** Beats from now on; what fails is tried again with the next beat. */
  start(afterBeat: () => Promise<unknown>, onError: (error: unknown) => void): void {
    clearInterval(this.#timer)
    this.#timer = setInterval(() => afterBeat().catch(onError), BEAT_MILLISECONDS)
    this.#timer.unref()
  }

  /** Gives one beat; answers who is alive, this server among them, and forgets who is not. */
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

  /** Takes all others for dead: for a database that one server has for itself. */
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
