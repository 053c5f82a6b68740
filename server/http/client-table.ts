interface ClientLimits {
  /** Maximum requests per minute. 0 is no limit. */
  readonly perMinute: number
  /** Maximum number of requests at once after a pause, at least 1. */
  readonly burst: number
  /** Maximum number of concurrent requests. 0 is no limit. */
  readonly concurrent: number
}

export interface Excess {
  readonly limit: 'rate' | 'concurrency'
  /** Seconds until a retry may succeed, at least 1. Undefined if the client's running requests must end first. */
  readonly seconds?: number
}

interface Client {
  /** Time at which all used requests are regained, in milliseconds of the caller's clock. */
  regainedAt: number
  underWay: number
}

/**
 * Usage of each client: one number for the rate (generic cell rate algorithm: each request advances the time of
 * regaining by its share of a minute, at most by the burst) and one for concurrent requests.
 *
 * Memory is bounded. When clients that were active since the last clean-up take half of the places, all others
 * are forgotten. Rejected requests count as activity. To be forgotten early, a client needs half as many other
 * clients as there are places between two of its requests, and gains only one more burst. Clients with requests
 * in progress are never forgotten; they exceed the bound by at most the number of connections.
 */
export class ClientTable {
  readonly #limits: ClientLimits
  readonly #places: number
  // Two generations are faster than one list ordered by age. Most requests move no entry, and finding the first
  // entry of a Map takes microseconds if its first entries are constantly deleted.
  #recent = new Map<string, Client>()
  #earlier = new Map<string, Client>()

  constructor(limits: ClientLimits, places: number) {
    this.#limits = limits
    this.#places = places
  }

  get size(): number {
    return this.#recent.size + this.#earlier.size
  }

  /** Returns why a request of this client must be rejected now, or undefined if the request is accepted. */
  excess(key: string, now: number): Excess | undefined {
    const client = this.#find(key)
    if (client === undefined) return undefined
    const { concurrent, burst } = this.#limits
    if (concurrent > 0 && client.underWay >= concurrent) return { limit: 'concurrency' }
    const wait = client.regainedAt - now - (burst - 1) * this.#share
    if (wait <= 0) return undefined
    return { limit: 'rate', seconds: Math.ceil(wait / 1000) }
  }

  /** Counts an accepted request. Call giveBack once when it has ended. */
  take(key: string, now: number): void {
    const client = this.#find(key) ?? this.#store(key, { regainedAt: now, underWay: 0 })
    client.regainedAt = Math.max(client.regainedAt, now) + this.#share
    client.underWay += 1
  }

  /** Ends a request. Forgets the client if it has no usage left. */
  giveBack(key: string, now: number): void {
    const client = this.#recent.get(key) ?? this.#earlier.get(key)
    if (client === undefined) return
    client.underWay -= 1
    if (client.underWay > 0 || client.regainedAt > now) return
    this.#recent.delete(key)
    this.#earlier.delete(key)
  }

  /** Milliseconds until a client may send one more request. */
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
