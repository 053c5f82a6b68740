import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { EngineError } from '../errors.ts'
import { inTransaction } from '../store/state.ts'
import { grantText, parseGrants } from './grants.ts'
import { checkUser, idOfSecret, isSecretOf, makeSecret, shownId } from './secrets.ts'

/** Who asks, and what the account may see at the moment of asking. */
export interface Principal {
  readonly user: string
  readonly admin: boolean
  /** Roles by project id. */
  readonly projects: ReadonlyMap<string, readonly string[]>
}

/** What may be shown of a token. Rights are its user's; `projects` are in the form `create` takes. */
export interface TokenSummary {
  readonly id: string
  readonly user: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly revokedAt: string | null
  readonly admin: boolean
  readonly projects: readonly string[]
}

export interface CreateToken {
  readonly user: string
  /** `ID` or `ID:role,role`: replaces all the user's projects when given. */
  readonly projects?: readonly string[]
  /** Makes the user an administrator, or no longer one, when given. */
  readonly admin?: boolean
  /** Whole days, 30 when not given. */
  readonly expiresDays?: number
}

const DEFAULT_DAYS = 30
const MAX_DAYS = 3650
const DAY_MS = 86_400_000

/**
 * Access tokens. Everything is read from the database at every call, so that another process's
 * revocation holds at once.
 */
export class TokenStore {
  readonly #state: DatabaseSync
  readonly #clock: () => Date
  readonly #verify: StatementSync
  readonly #list: StatementSync

  /** @param clock tells the current time */
  constructor(state: DatabaseSync, clock: () => Date) {
    this.#state = state
    this.#clock = clock
    // Token, user and grants in one statement: one consistent view of all three.
    this.#verify = state.prepare(
      `SELECT t.secret_sha256, t.expires_at, t.revoked_at, u.name, u.admin, g.project, g.role
       FROM tokens t JOIN users u ON u.name = t.user_name
       LEFT JOIN grants g ON g.user_name = u.name
       WHERE t.id = ? ORDER BY g.project, g.role`,
    )
    this.#list = state.prepare(
      `SELECT t.id, t.created_at, t.expires_at, t.revoked_at, u.name, u.admin, g.project, g.role
       FROM tokens t JOIN users u ON u.name = t.user_name
       LEFT JOIN grants g ON g.user_name = u.name
       ORDER BY t.created_at, t.id, g.project, g.role`,
    )
  }

  /**
   * Makes a token and, where they are given, sets its user's rights. The secret is shown here and
   * nowhere again.
   * @throws EngineError `bad_input`
   */
  create(options: CreateToken): { readonly id: string; readonly secret: string } {
    const { user, admin, expiresDays = DEFAULT_DAYS } = options
    checkUser(user)
    checkDays(expiresDays)
    const grants = options.projects && parseGrants(options.projects)
    const { id, secret, sha256 } = makeSecret()
    const now = this.#clock()
    const expiresAt = new Date(now.getTime() + expiresDays * DAY_MS)

    inTransaction(this.#state, () => {
      this.#run('INSERT INTO users (name) VALUES (?) ON CONFLICT (name) DO NOTHING', user)
      if (admin !== undefined) {
        this.#run('UPDATE users SET admin = ? WHERE name = ?', Number(admin), user)
      }
      if (grants) {
        this.#run('DELETE FROM grants WHERE user_name = ?', user)
        for (const [project, roles] of grants) {
          for (const role of roles) {
            const insert = 'INSERT INTO grants (user_name, project, role) VALUES (?, ?, ?)'
            this.#run(insert, user, project, role)
          }
        }
      }
      this.#run(
        `INSERT INTO tokens (id, user_name, secret_sha256, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?)`,
        ...[id, user, sha256, now.toISOString(), expiresAt.toISOString()],
      )
    })
    return { id, secret }
  }

  /** All tokens, oldest first, also those that are expired or revoked. */
  list(): TokenSummary[] {
    const byToken = Map.groupBy(this.#list.all(), (row) => row.id as string)
    return Array.from(byToken, ([id, rows]) => {
      const { user, admin, projects } = principalOf(rows)
      const [first] = rows
      return Object.freeze({
        id,
        user,
        createdAt: first?.created_at as string,
        expiresAt: first?.expires_at as string,
        revokedAt: first?.revoked_at as string | null,
        admin,
        projects: Array.from(projects, ([project, roles]) => grantText(project, roles)),
      })
    })
  }

  /**
   * Ends a token now and for all processes. One that was revoked before keeps its time.
   * @throws EngineError `not_found`
   */
  revoke(id: string): void {
    const now = this.#clock().toISOString()
    const update = 'UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?'
    if (this.#run(update, now, id).changes === 0) {
      throw new EngineError(
        'not_found',
        `no token has ${shownId(id)}; the ids are those that list gives`,
      )
    }
  }

  /**
   * Who a secret belongs to, or undefined when it is unknown, expired or revoked. Takes any text
   * and any other value that a careless caller may pass.
   */
  verify(secret: string): Principal | undefined {
    const id = idOfSecret(secret)
    if (id === undefined) return undefined
    const rows = this.#verify.all(id)
    const [token] = rows
    if (!token) return undefined
    if (!isSecretOf(token.secret_sha256 as Uint8Array, secret)) return undefined
    if (token.revoked_at !== null) return undefined
    if (this.#clock().getTime() >= Date.parse(token.expires_at as string)) return undefined
    return principalOf(rows)
  }

  #run(sql: string, ...values: (string | number | Uint8Array)[]) {
    return this.#state.prepare(sql).run(...values)
  }
}

/** Reads the rows of one user: one for each role, or a single one without project. */
function principalOf(rows: readonly Record<string, unknown>[]): Principal {
  const projects = new Map<string, string[]>()
  for (const { project, role } of rows) {
    if (typeof project !== 'string') continue
    const roles = projects.get(project) ?? []
    roles.push(role as string)
    projects.set(project, roles)
  }
  return Object.freeze({
    user: rows[0]?.name as string,
    admin: rows[0]?.admin === 1,
    projects,
  })
}

function checkDays(days: number): void {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return
  throw new EngineError(
    'bad_input',
    `a lifetime of ${days} days is not possible; use a whole number from 1 to ${MAX_DAYS}`,
    { at: 'expiresDays' },
  )
}
