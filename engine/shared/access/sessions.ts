import type { StateCache } from '../catalogue/state-cache.ts'
import { touch } from '../concurrency/lru-cache.ts'
import type { Database } from '../database/database.ts'
import { notify } from '../database/news.ts'
import type { CredentialStore } from './authenticator.ts'
import {
  PERSON_COLUMNS,
  PeopleReader,
  type Person,
  type PersonRights,
  type PersonRow,
  recordPerson,
} from './people.ts'
import type { Principal } from './principal.ts'
import { idOfPrefixed, isSecretOf, makeSecret } from './secrets.ts'

/** Maximum number of sessions of one person. A new one ends the oldest. */
export const MAX_SESSIONS = 20
/** Maximum number of ended sessions of anyone that a new one removes. */
const SWEPT_AT_ONCE = 64
/** The use of a session is recorded when this part of its idle life has passed since the last record. */
const RECORDED_PART = 1 / 20
/** Maximum number of sessions whose last record of use is remembered. */
const MAX_RECORDED = 2000

export interface SessionTimes {
  /** Life in seconds after the last use. */
  readonly idleSeconds: number
  /** Life in seconds after the log-in, whatever the use. */
  readonly absoluteSeconds: number
}

interface SessionsContext {
  readonly database: Database
  readonly clock: () => Date
  readonly times: SessionTimes
  readonly rights: PersonRights
  /** Cache of verified sessions. Without it every call reads the database. */
  readonly cache?: StateCache | undefined
}

interface SessionRow extends PersonRow {
  readonly secret_sha256: Uint8Array
  readonly used_at: string
  readonly expires_at: string
}

const VERIFY = `SELECT s.secret_sha256, s.used_at, s.expires_at, ${PERSON_COLUMNS}
  FROM sessions s JOIN people p ON p.user_name = s.user_name
  WHERE s.id = ?`

/** Sessions of people who logged in at an institution. Only hashes of their secrets are stored. */
export class SessionStore implements CredentialStore {
  readonly kind = 'session' as const
  readonly #context: SessionsContext
  /** Milliseconds of the last record of use, keyed by session id. */
  readonly #recorded = new Map<string, number>()

  readonly #people: PeopleReader

  constructor(context: SessionsContext) {
    this.#context = context
    this.#people = new PeopleReader(context.rights)
  }

  /**
   * Starts a session after a log-in. The secret is always new: no value from the browser is taken over.
   * @throws EngineError `too_large` for more than 32 KiB of claims
   */
  async start(person: Person): Promise<{
    readonly id: string
    readonly secret: string
    readonly user: string
  }> {
    const { database, clock, times, cache } = this.#context
    const { id, secret, sha256 } = makeSecret('cms')
    const now = clock()
    const at = now.toISOString()
    const expiresAt = new Date(now.getTime() + times.absoluteSeconds * 1000).toISOString()
    const idleSince = new Date(now.getTime() - times.idleSeconds * 1000).toISOString()
    const user = await database.write(async (transaction) => {
      const userName = await recordPerson(transaction, database.dialect, { ...person, now: at })
      await transaction.run(
        `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
          WHERE expires_at <= ? OR used_at <= ? ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE})`,
        [at, idleSince],
      )
      await transaction.run(
        `DELETE FROM sessions WHERE user_name = ? AND id NOT IN (SELECT id FROM sessions
          WHERE user_name = ? ORDER BY created_at DESC, id LIMIT ${MAX_SESSIONS - 1})`,
        [userName, userName],
      )
      await transaction.run(
        `INSERT INTO sessions (id, user_name, secret_sha256, created_at, used_at, expires_at)
          VALUES (?, ?, ?, ?, ?, ?)`,
        [id, userName, sha256, at, at, expiresAt],
      )
      return userName
    })
    cache?.drop({ topic: 'tokens' })
    return { id, secret, user }
  }

  /**
   * Records a person who logged in without a browser. Returns the name of the user.
   * @throws EngineError `too_large` for more than 32 KiB of claims
   */
  async record(person: Person): Promise<string> {
    const { database, clock, cache } = this.#context
    const now = clock().toISOString()
    const user = await database.write((transaction) =>
      recordPerson(transaction, database.dialect, { ...person, now }),
    )
    cache?.drop({ topic: 'tokens' })
    return user
  }

  accepts(secret: string): boolean {
    return idOfPrefixed(secret, 'cms') !== undefined
  }

  /**
   * Returns the person of a session's secret. Returns undefined if the secret is unknown or the session has ended.
   * Accepts any text.
   */
  async verify(secret: string): Promise<Principal | undefined> {
    const id = idOfPrefixed(secret, 'cms')
    if (id === undefined) return undefined
    return this.#good(id, ({ secret_sha256: stored }) => isSecretOf(stored, secret))
  }

  /** Returns the id in a verified secret, for tickets. */
  async lend(secret: string): Promise<string | undefined> {
    return idOfPrefixed(secret, 'cms')
  }

  /** Returns the person of a session by its id, without the secret, for links signed for its bearer. */
  async bearer(id: string): Promise<Principal | undefined> {
    return this.#good(id, () => true)
  }

  /** Returns the name of a user as the issuer gave it at the last log-in. It is not unique. */
  async displayName(user: string): Promise<string | undefined> {
    const sql = 'SELECT display_name FROM people WHERE user_name = ?'
    type Row = { readonly display_name: string | null }
    const [row] = await this.#context.database.ask<Row>(sql, [user])
    return row?.display_name ?? undefined
  }

  /** Ends a session for all processes. Returns whether it had not ended before. Accepts any text. */
  async end(secret: string): Promise<boolean> {
    const id = idOfPrefixed(secret, 'cms')
    if (id === undefined) return false
    const { database, cache } = this.#context
    const [row] = await database.ask<SessionRow>(VERIFY, [id])
    if (!row || !isSecretOf(row.secret_sha256, secret)) return false
    const news = { topic: 'tokens' as const, ids: [keyOf(id)] }
    const { changes } = await database.write(async (transaction) => {
      await notify(transaction, database.dialect, news)
      return transaction.run('DELETE FROM sessions WHERE id = ?', [id])
    })
    cache?.drop(news)
    return changes > 0
  }

  async #good(id: string, isMeant: (row: SessionRow) => boolean): Promise<Principal | undefined> {
    const { database, clock, times, cache } = this.#context
    const cached = cache?.tokens
    const asked = cached?.asked()
    const kept = cached?.fresh<SessionRow>(keyOf(id))
    const row = kept ?? (await database.ask<SessionRow>(VERIFY, [id]))[0]
    if (!row || !isMeant(row)) return undefined
    const now = clock().getTime()
    const usedAt = Math.max(Date.parse(row.used_at), this.#recorded.get(id) ?? 0)
    if (now >= Date.parse(row.expires_at)) return undefined
    if (now >= usedAt + times.idleSeconds * 1000) return undefined
    const rights = await this.#people.rightsOf(row, id)
    if (!rights) return undefined
    // Only valid secrets are cached, so that a wrong secret cannot evict a valid one.
    if (asked && !kept) cached?.keep(keyOf(id), row, asked)
    if (now - usedAt >= times.idleSeconds * 1000 * RECORDED_PART) this.#recordUse(id, now)
    const { admin, projects, purposes } = rights
    const credential = { kind: this.kind, id }
    return Object.freeze({ user: row.user_name, admin, projects, purposes, credential })
  }

  /** Records the use of a session in the background. If this fails, the session merely ends earlier. */
  #recordUse(id: string, now: number): void {
    touch(this.#recorded, id, now, MAX_RECORDED)
    const at = new Date(now).toISOString()
    const sql = 'UPDATE sessions SET used_at = ? WHERE id = ? AND used_at < ?'
    this.#context.database
      .write((transaction) => transaction.run(sql, [at, id, at]))
      .catch(() => this.#recorded.delete(id))
  }
}

/** Key of a session in the cache, which it shares with tokens. */
const keyOf = (id: string) => `session:${id}`
