import type { StateCache } from '../../catalogue/state-cache.ts'
import { touch } from '../../concurrency/lru-cache.ts'
import type { Database } from '../../database/database.ts'
import { isObject } from '../../input/unknowns.ts'
import type { Identity } from '../claims/claim-rights.ts'

/** The parts of a token that links for its bearer need. */
interface LentJwt {
  /** Half of the SHA-256 of the token, in hex. */
  readonly id: string
  readonly identity: Identity
  /** Milliseconds since 1970. */
  readonly validUntil: number
}

interface LentContext {
  readonly database: Database
  readonly clock: () => Date
  readonly cache?: StateCache | undefined
}

interface LentRow {
  readonly issuer: string
  readonly subject: string
  readonly token_id: string | null
  readonly claims: string
  readonly expires_at: string
}

/** Milliseconds. A token is kept for longer than a link is valid, and stored again before its links would end. */
const KEPT = 3_600_000
const STORED_AGAIN = 1_800_000
const MAX_KNOWN = 2000

/**
 * Tokens for whose bearers links were signed, without the tokens themselves. Every node can read them, and finds
 * out by them who uses a link.
 */
export class LentJwts {
  readonly #context: LentContext
  /** Times in milliseconds until which tokens need not be stored again, by id. */
  readonly #known = new Map<string, { readonly until: number; readonly claims: string }>()

  constructor(context: LentContext) {
    this.#context = context
  }

  /**
   * Stores a token, unless it is stored.
   * @throws EngineError `unavailable` if it cannot be stored
   */
  async add({ id, identity, validUntil }: LentJwt): Promise<void> {
    const { database, clock } = this.#context
    const now = clock().getTime()
    const claims = JSON.stringify(identity.claims)
    const known = this.#known.get(id)
    if (known && known.until > now && known.claims === claims) return
    const end = Math.min(validUntil, now + KEPT)
    const [tokenId = null, ...more] = identity.tokenNames
    const row = [id, identity.issuer, identity.subject, more.length > 0 ? tokenId : null]
    await database.write(async (transaction) => {
      await transaction.run('DELETE FROM lent_jwts WHERE expires_at < ?', [iso(now)])
      await transaction.run(
        `INSERT INTO lent_jwts (id, issuer, subject, token_id, claims, expires_at)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET claims = excluded.claims, expires_at = excluded.expires_at`,
        [...row, claims, iso(end)],
      )
    })
    touch(this.#known, id, { until: Math.min(end, now + STORED_AGAIN), claims }, MAX_KNOWN)
  }

  /** Returns a stored token. It may have expired. */
  async find(id: string): Promise<LentJwt | undefined> {
    const { database, cache } = this.#context
    const key = `lent ${id}`
    const shelf = cache?.tokens
    const kept = shelf?.fresh<LentJwt>(key)
    if (kept) return kept
    const asked = shelf?.asked()
    const sql = `SELECT issuer, subject, token_id, claims, expires_at FROM lent_jwts WHERE id = ?`
    const [row] = await database.ask<LentRow>(sql, [id])
    if (!row) return undefined
    const claims: unknown = JSON.parse(row.claims)
    if (!isObject(claims)) return undefined
    const tokenNames = row.token_id === null ? [id] : [row.token_id, id]
    const identity = { issuer: row.issuer, subject: row.subject, tokenNames, claims }
    const lent = Object.freeze({ id, identity, validUntil: Date.parse(row.expires_at) })
    if (asked) shelf?.keep(key, lent, asked)
    return lent
  }
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString()
