import type { StateCache } from '../catalogue/state-cache.ts'
import type { Database } from '../database/database.ts'
import { tell } from '../database/news.ts'
import { EngineError } from '../errors.ts'
import { nearestOf } from '../input/near-name.ts'
import { type Caller, ROLES, type Role } from './roles.ts'
import { checkUser, idOfSecret, isSecretOf, makeSecret, shownId } from './secrets.ts'

/** What may be shown of a key. */
export interface KeySummary {
  readonly id: string
  readonly user: string
  /** As given. */
  readonly roles: readonly Role[]
  readonly createdAt: string
  readonly revokedAt: string | null
}

export interface CreateKey {
  /** Whom histories will name; the key's id when not given. */
  readonly user?: string
  /** Names of roles; none makes a reader. */
  readonly roles?: readonly string[]
}

interface KeyRow {
  readonly secret_sha256: Uint8Array
  readonly user_name: string
  readonly roles: string
  readonly revoked_at: string | null
}

const CHANGED = Object.freeze({ topic: 'keys' as const })

/**
 * Keys of the registry interface. They do not end by themselves: programs use them for years.
 * A revocation by another process holds as that of a token does.
 */
export class KeyStore {
  readonly #database: Database
  readonly #clock: () => Date

  readonly #cache: StateCache | undefined

  /** @param clock returns the current time */
  constructor(database: Database, clock: () => Date, cache?: StateCache) {
    this.#database = database
    this.#clock = clock
    this.#cache = cache
  }

  /**
   * Makes a key. The secret is shown here and nowhere again.
   * @throws EngineError `bad_input`
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

  /** All keys, oldest first, also those that are revoked. */
  async list(): Promise<KeySummary[]> {
    const sql = `SELECT id, user_name, roles, created_at, revoked_at FROM registry_keys
      ORDER BY created_at, id`
    type Row = Omit<KeyRow, 'secret_sha256'> & { readonly id: string; readonly created_at: string }
    const found = await this.#database.ask<Row>(sql)
    return found.map((row) =>
      Object.freeze({
        id: row.id,
        user: row.user_name,
        roles: storedRoles(row.roles),
        createdAt: row.created_at,
        revokedAt: row.revoked_at,
      }),
    )
  }

  /**
   * Ends a key now and for all processes. One that was revoked before keeps its time.
   * @throws EngineError `not_found`
   */
  async revoke(id: string): Promise<void> {
    const sql = 'UPDATE registry_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?'
    const now = this.#clock().toISOString()
    const revoked = await this.#database.write(async (transaction) => {
      await tell(transaction, this.#database.dialect, CHANGED)
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
   * Who a secret belongs to, or undefined when it is unknown or revoked. Takes any text and any
   * other value that a careless caller may pass.
   */
  async verify(secret: unknown): Promise<Caller | undefined> {
    const id = idOfSecret(secret)
    if (id === undefined) return undefined
    const sql = 'SELECT secret_sha256, user_name, roles, revoked_at FROM registry_keys WHERE id = ?'
    const cached = this.#cache?.keys
    const asked = cached?.asked()
    const kept = cached?.fresh<KeyRow>(id)
    const row = kept ?? (await this.#database.ask<KeyRow>(sql, [id]))[0]
    if (!row || !isSecretOf(row.secret_sha256, secret as string)) return undefined
    if (row.revoked_at !== null) return undefined
    if (asked && !kept) cached?.keep(id, row, asked)
    return Object.freeze({ user: row.user_name, roles: new Set(storedRoles(row.roles)) })
  }
}

/** The roles in the order of the list, each once. */
function readRoles(names: readonly string[]): readonly Role[] {
  const unknown = names.find((name) => !ROLES.some((role) => role === name))
  if (unknown !== undefined) {
    throw new EngineError(
      'bad_input',
      `role ${JSON.stringify(unknown)} is unknown; use one of ${ROLES.join(', ')}, or none for a reader${nearestOf(unknown, ROLES)}`,
      { at: 'role' },
    )
  }
  return ROLES.filter((role) => names.includes(role))
}

/** A role that only a newer version knows gives no rights here. */
function storedRoles(text: string): readonly Role[] {
  const names: unknown = JSON.parse(text)
  return ROLES.filter((role) => Array.isArray(names) && names.includes(role))
}
