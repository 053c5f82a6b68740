import type { StateCache } from '../catalogue/state-cache.ts'
import type { Database } from '../database/database.ts'
import { notify } from '../database/news.ts'
import { EngineError } from '../errors.ts'
import { type Caller, type Role, readRoles, storedRoles } from './roles.ts'
import { checkUser, idOfSecret, isSecretOf, makeSecret, shownId } from './secrets.ts'

/** The public fields of a key, without its secret. */
export interface KeySummary {
  readonly id: string
  readonly user: string
  /** Roles as granted. Included roles are not added. */
  readonly roles: readonly Role[]
  readonly createdAt: string
  readonly revokedAt: string | null
}

export interface CreateKey {
  /** Name shown in histories. Defaults to the key's id. */
  readonly user?: string
  /** Role names. A key without roles can only read and stage. */
  readonly roles?: readonly string[]
}

/** Returns the caller who sent a credential of another kind than a key, if it is valid. */
type CallerOf = (secret: string) => Promise<Caller | undefined>

interface KeyRow {
  readonly secret_sha256: Uint8Array
  readonly user_name: string
  readonly roles: string
  readonly revoked_at: string | null
}

const CHANGED = Object.freeze({ topic: 'keys' as const })

/**
 * API keys of the registry. They do not expire, because programs use them for years. A revocation takes effect
 * in other processes in the same way as for tokens (see TokenStore).
 */
export class KeyStore {
  readonly #database: Database
  readonly #clock: () => Date

  readonly #cache: StateCache | undefined
  readonly #callerOf: CallerOf

  /**
   * @param clock returns the current time
   * @param cache keeps verified keys; without it every call reads the database
   * @param callerOf returns who sent a text that does not have the form of a key
   */
  constructor(
    database: Database,
    clock: () => Date,
    cache?: StateCache,
    callerOf: CallerOf = async () => undefined,
  ) {
    this.#database = database
    this.#clock = clock
    this.#cache = cache
    this.#callerOf = callerOf
  }

  /**
   * Creates a key. This is the only time the secret can be read.
   * @throws EngineError `bad_input` for an unusable user name or an unknown role
   */
  async create({ user, roles = [] }: CreateKey = {}): Promise<{
    readonly id: string
    readonly secret: string
  }> {
    if (user !== undefined) checkUser(user)
    const given = readRoles(roles)
    const { id, secret, sha256 } = makeSecret()
    const now = this.#clock().toISOString()
    const sql = `INSERT INTO registry_keys (id, user_name, roles, secret_sha256, created_at)
      VALUES (?, ?, ?, ?, ?)`
    const values = [id, user ?? id, JSON.stringify(given), sha256, now]
    await this.#database.write((transaction) => transaction.run(sql, values))
    return { id, secret }
  }

  /** Returns all keys, oldest first, including revoked ones. */
  async list(): Promise<KeySummary[]> {
    const sql = `SELECT id, user_name, roles, created_at, revoked_at FROM registry_keys
      ORDER BY created_at, id`
    type Row = Omit<KeyRow, 'secret_sha256'> & { readonly id: string; readonly created_at: string }
    const found = await this.#database.ask<Row>(sql)
    return found.map((row) =>
      Object.freeze({
        id: row.id,
        user: row.user_name,
        roles: storedRoles(JSON.parse(row.roles)),
        createdAt: row.created_at,
        revokedAt: row.revoked_at,
      }),
    )
  }

  /**
   * Revokes a key for all processes. A key that is already revoked keeps its first revocation time.
   * @throws EngineError `not_found` if there is no key with this id
   */
  async revoke(id: string): Promise<void> {
    const sql = 'UPDATE registry_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?'
    const now = this.#clock().toISOString()
    const revoked = await this.#database.write(async (transaction) => {
      await notify(transaction, this.#database.dialect, CHANGED)
      return transaction.run(sql, [now, id])
    })
    this.#cache?.drop(CHANGED)
    if (revoked.changes !== 0) return
    throw new EngineError(
      'not_found',
      `no key has ${shownId(id)}; the ids are those that list gives`,
    )
  }

  /**
   * Returns the owner of a secret, or undefined if the secret is unknown or revoked. Accepts any value,
   * because callers may pass header values unchecked.
   */
  async verify(secret: unknown): Promise<Caller | undefined> {
    const id = idOfSecret(secret)
    if (id === undefined) return typeof secret === 'string' ? this.#callerOf(secret) : undefined
    const sql = 'SELECT secret_sha256, user_name, roles, revoked_at FROM registry_keys WHERE id = ?'
    const cached = this.#cache?.keys
    const asked = cached?.asked()
    const kept = cached?.fresh<KeyRow>(id)
    const row = kept ?? (await this.#database.ask<KeyRow>(sql, [id]))[0]
    if (!row || !isSecretOf(row.secret_sha256, secret as string)) return undefined
    if (row.revoked_at !== null) return undefined
    if (asked && !kept) cached?.keep(id, row, asked)
    return Object.freeze({
      user: row.user_name,
      roles: new Set(storedRoles(JSON.parse(row.roles))),
    })
  }
}
