import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { EngineError } from '../errors.ts'
import { inTransaction } from '../store/state.ts'
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

/**
 * Keys of the registry interface. They do not end by themselves: programs use them for years.
 * Everything is read from the database at every call, so that another process's revocation holds
 * at once.
 */
export class KeyStore {
  readonly #state: DatabaseSync
  readonly #clock: () => Date
  readonly #verify: StatementSync

  /** @param clock tells the current time */
  constructor(state: DatabaseSync, clock: () => Date) {
    this.#state = state
    this.#clock = clock
    this.#verify = state.prepare(
      'SELECT secret_sha256, user_name, roles, revoked_at FROM registry_keys WHERE id = ?',
    )
  }

  /**
   * Makes a key. The secret is shown here and nowhere again.
   * @throws EngineError `bad_input`
   */
  create({ user, roles = [] }: CreateKey = {}): { readonly id: string; readonly secret: string } {
    if (user !== undefined) checkUser(user)
    const given = readRoles(roles)
    const { id, secret, sha256 } = makeSecret()
    const now = this.#clock().toISOString()
    inTransaction(this.#state, () =>
      this.#state
        .prepare(
          `INSERT INTO registry_keys (id, user_name, roles, secret_sha256, created_at)
           VALUES (?, ?, ?, ?, ?)`,
        )
        .run(id, user ?? id, JSON.stringify(given), sha256, now),
    )
    return { id, secret }
  }

  /** All keys, oldest first, also those that are revoked. */
  list(): KeySummary[] {
    const rows = this.#state
      .prepare(
        `SELECT id, user_name, roles, created_at, revoked_at FROM registry_keys
         ORDER BY created_at, id`,
      )
      .all()
    return rows.map((row) =>
      Object.freeze({
        id: row.id as string,
        user: row.user_name as string,
        roles: storedRoles(row.roles),
        createdAt: row.created_at as string,
        revokedAt: row.revoked_at as string | null,
      }),
    )
  }

  /**
   * Ends a key now and for all processes. One that was revoked before keeps its time.
   * @throws EngineError `not_found`
   */
  revoke(id: string): void {
    const { changes } = this.#state
      .prepare('UPDATE registry_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?')
      .run(this.#clock().toISOString(), id)
    if (changes !== 0) return
    throw new EngineError(
      'not_found',
      `no key has ${shownId(id)}; the ids are those that list gives`,
    )
  }

  /**
   * Who a secret belongs to, or undefined when it is unknown or revoked. Takes any text and any
   * other value that a careless caller may pass.
   */
  verify(secret: unknown): Caller | undefined {
    const id = idOfSecret(secret)
    const row = id === undefined ? undefined : this.#verify.get(id)
    if (!row || !isSecretOf(row.secret_sha256 as Uint8Array, secret as string)) return undefined
    if (row.revoked_at !== null) return undefined
    return Object.freeze({
      user: row.user_name as string,
      roles: new Set(storedRoles(row.roles)),
    })
  }
}

/** The roles in the order of the list, each once. */
function readRoles(names: readonly string[]): readonly Role[] {
  const unknown = names.find((name) => !ROLES.some((role) => role === name))
  if (unknown !== undefined) {
    throw new EngineError(
      'bad_input',
      `role ${JSON.stringify(unknown)} is unknown; use one of ${ROLES.join(', ')}, or none for a reader`,
      { at: 'role' },
    )
  }
  return ROLES.filter((role) => names.includes(role))
}

/** A role that only a newer version knows gives no rights here. */
function storedRoles(text: unknown): readonly Role[] {
  const names: unknown = JSON.parse(text as string)
  return ROLES.filter((role) => Array.isArray(names) && names.includes(role))
}
