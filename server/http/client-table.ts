export interface ClientLimits {
  /** 0 is no limit. */
  readonly perMinute: number
  /** How many requests may come at once after a pause; at least 1. */
  readonly burst: number
  /** Requests under way; 0 is no limit. */
  readonly concurrent: number
}

export interface Excess {
  readonly limit: 'rate' | 'concurrency'
  /** Until another try may pass, at least 1; unknown where requests have to end first. */
  readonly seconds?: number
}

interface Client {
  /** When all that was taken so far has been regained, in milliseconds of the caller's clock. */
  regainedAt: number
  underWay: number
}

/**
 * What clients have had, one number each for the rate (the generic cell rate algorithm: a request
 * moves the time of regaining on by its share of the minute, and may not move it further ahead than
 * the burst) and one for the requests under way.
 *
 * Memory is bounded: when half of the places are taken by clients that have asked since the last
 * time this happened, those that have not asked since are forgotten. Rejected requests count as
 * asking, so to have a client forgotten before it has regained everything, as many others as half
 * the places must ask between two of its requests, and all that is gained is one more burst. Who has
 * requests under way is never forgotten; the table is larger than its bound by at most those, of
 * which there are no more than connections.
 */
export class ClientTable {
  readonly #limits: ClientLimits
  readonly #places: number
  // Two generations instead of one list by age: nothing is moved at most requests, and a Map whose
  // first entries are deleted all the time takes microseconds to find its first.
  #recent = new Map<string, Client>()
  #earlier = new Map<string, Client>()

  constructor(limits: ClientLimits, places: number) {
    this.#limits = limits
    this.#places = places
  }

  get size(): number {
    return this.#recent.size + this.#earlier.size
  }

  /** Why a request of this client may not pass at this time; undefined when it may. */
  excess(key: string, now: number): Excess | undefined {
    const client = this.#find(key)
    if (client === undefined) return undefined
    const { concurrent, burst } = this.#limits
    if (concurrent > 0 && client.underWay >= concurrent) return { limit: 'concurrency' }
    const wait = client.regainedAt - now - (burst - 1) * this.#share
    if (wait <= 0) return undefined
    return { limit: 'rate', seconds: Math.ceil(wait / 1000) }
  }

  /** Counts a request that passes. Give it back once, when it is over. */
  take(key: string, now: number): void {
    const client = this.#find(key) ?? this.#store(key, { regainedAt: now, underWay: 0 })
    client.regainedAt = Math.max(client.regainedAt, now) + this.#share
    client.underWay += 1
  }

  /** The request is over; its client is forgotten as soon as nothing is left to remember. */
  giveBack(key: string, now: number): void {
    const client = this.#recent.get(key) ?? this.#earlier.get(key)
    if (client === undefined) return
    client.underWay -= 1
    if (client.underWay > 0 || client.regainedAt > now) return
    this.#recent.delete(key)
    this.#earlier.delete(key)
  }

  /** Milliseconds in which one request is regained. */
  get #share(): number {
    return this.#limits.perMinute === 0 ? 0 : 60_000 / this.#limits.perMinute
  }

  #find(key: string): Client | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const earlier = this.#earlier.get(key)
    if (earlier === undefined) return undefined
    this.#earlier.delete(key)
    return this.#store(key, earlier)
  }

  #store(key: string, client: Client): Client {
    if (this.#recent.size >= this.#places / 2) {
      for (const [key, client] of this.#earlier) {
        if (client.underWay > 0) this.#recent.set(key, client)
      }
      this.#earlier = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, client)
    return client
  }
}
