import type { StateCache } from '../catalogue/state-cache.ts'
import type { Database, Transaction } from '../database/database.ts'
import { notify } from '../database/news.ts'
import type { Parameters } from '../database/values.ts'
import { EngineError } from '../errors.ts'
import type { CredentialStore } from './authenticator.ts'
import { parsePurposes } from './consent.ts'
import { grantText, parseGrants } from './grants.ts'
import type { Principal } from './principal.ts'
import { checkUser, idOfSecret, isSecretOf, makeSecret, shownId } from './secrets.ts'

/** The public fields of a token and the rights of its user. `projects` has the form that `create` takes. */
export interface TokenSummary {
  readonly id: string
  readonly user: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly revokedAt: string | null
  readonly admin: boolean
  readonly projects: readonly string[]
  /** Stated purposes and accepted conditions, as consent codes. */
  readonly purposes: readonly string[]
}

export interface CreateToken {
  readonly user: string
  /** Grants of the form `ID` or `ID:role,role`. If given, they replace all grants of the user. */
  readonly projects?: readonly string[]
  /** Sets or clears the user's administrator flag. Unchanged if left out. */
  readonly admin?: boolean
  /** Purposes and conditions of the token, as codes that `purposeCode` reads. */
  readonly purposes?: readonly string[]
  /** Lifetime in whole days. Defaults to 30. */
  readonly expiresDays?: number
}

const DEFAULT_DAYS = 30
const MAX_DAYS = 3650
const DAY_MS = 86_400_000

/** A row that joins a user with one grant. `project` and `role` are null if the user has no grant. */
interface UserRow {
  readonly name: string
  readonly admin: number
  readonly project: string | null
  readonly role: string | null
}

interface VerifiedRow extends UserRow {
  readonly secret_sha256: Uint8Array
  readonly expires_at: string
  readonly revoked_at: string | null
  readonly purposes: string
}

interface ListedRow extends UserRow {
  readonly id: string
  readonly created_at: string
  readonly expires_at: string
  readonly revoked_at: string | null
  readonly purposes: string
}

/** Joins token, user and grants, so that one statement reads all rights. */
const TOKENS_WITH_RIGHTS = `FROM tokens t JOIN users u ON u.name = t.user_name
  LEFT JOIN grants g ON g.user_name = u.name`
const VERIFY = `
  SELECT t.secret_sha256, t.expires_at, t.revoked_at, t.purposes, u.name, u.admin, g.project, g.role
  ${TOKENS_WITH_RIGHTS} WHERE t.id = ? ORDER BY g.project, g.role`
const LIST = `
  SELECT t.id, t.created_at, t.expires_at, t.revoked_at, t.purposes, u.name, u.admin, g.project, g.role
  ${TOKENS_WITH_RIGHTS} ORDER BY t.created_at, t.id, g.project, g.role`

const CHANGED = Object.freeze({ topic: 'tokens' as const })

/**
 * Access tokens. Without a cache every call reads the database, so a revocation by another process takes
 * effect at once. With a cache it takes effect when its notification arrives, or within 5 seconds if the
 * notification is lost.
 */
export class TokenStore implements CredentialStore {
  readonly kind = 'token' as const
  readonly #database: Database
  readonly #clock: () => Date

  readonly #cache: StateCache | undefined

  /**
   * @param clock returns the current time
   * @param cache keeps verified tokens; without it every call reads the database
   */
  constructor(database: Database, clock: () => Date, cache?: StateCache) {
    this.#database = database
    this.#clock = clock
    this.#cache = cache
  }

  /**
   * Creates a token and sets its user's rights if any are given. This is the only time the secret can be
   * read.
   * @throws EngineError `bad_input` for an unusable user name, lifetime, role or project id
   */
  async create(options: CreateToken): Promise<{ readonly id: string; readonly secret: string }> {
    const { user, expiresDays = DEFAULT_DAYS } = options
    checkUser(user)
    checkDays(expiresDays)
    const purposes = parsePurposes(options.purposes ?? [])
    const grants = options.projects && parseGrants(options.projects)
    const { id, secret, sha256 } = makeSecret()
    const now = this.#clock()
    const expiresAt = new Date(now.getTime() + expiresDays * DAY_MS)

    await this.#database.write(async (transaction) => {
      await setRights(transaction, options, grants)
      await transaction.run(
        `INSERT INTO tokens (id, user_name, secret_sha256, created_at, expires_at, purposes)
         VALUES (?, ?, ?, ?, ?, ?)`,
        [
          ...[id, user, sha256, now.toISOString(), expiresAt.toISOString()],
          JSON.stringify(purposes),
        ],
      )
      await notify(transaction, this.#database.dialect, CHANGED)
    })
    this.#cache?.drop(CHANGED)
    return { id, secret }
  }

  /** Returns all tokens, oldest first, including expired and revoked ones. */
  async list(): Promise<TokenSummary[]> {
    const found = await this.#database.ask<ListedRow>(LIST)
    return [...Map.groupBy(found, ({ id }) => id).values()].flatMap((rows) => {
      const [token] = rows
      return token ? [summaryOf(token, rows)] : []
    })
  }

  /**
   * Revokes a token for all processes. A token that is already revoked keeps its first revocation time.
   * @throws EngineError `not_found` if there is no token with this id
   */
  async revoke(id: string): Promise<void> {
    const now = this.#clock().toISOString()
    const sql = 'UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?'
    const revoked = await this.#database.write(async (transaction) => {
      await notify(transaction, this.#database.dialect, CHANGED)
      return transaction.run(sql, [now, id])
    })
    this.#cache?.drop(CHANGED)
    if (revoked.changes === 0) {
      throw new EngineError(
        'not_found',
        `no token has ${shownId(id)}; the ids are those that list gives`,
      )
    }
  }

  accepts(secret: string): boolean {
    return idOfSecret(secret) !== undefined
  }

  /**
   * Returns the owner of a secret. Returns undefined if the secret is unknown, expired or revoked. Accepts any
   * text, so that callers can pass header values unchecked.
   */
  async verify(secret: string): Promise<Principal | undefined> {
    const id = idOfSecret(secret)
    if (id === undefined) return undefined
    return this.#good(id, ({ secret_sha256: stored }) => isSecretOf(stored, secret))
  }

  /** Returns the id of the token with this secret, for tickets. */
  async lend(secret: string): Promise<string | undefined> {
    return idOfSecret(secret)
  }

  /** Returns the owner of a valid token by its id, without the secret, for tickets signed for its bearer. */
  async bearer(id: string): Promise<Principal | undefined> {
    return this.#good(id, () => true)
  }

  async #good(
    id: string,
    isMeant: (token: VerifiedRow) => boolean,
  ): Promise<Principal | undefined> {
    const cached = this.#cache?.tokens
    const asked = cached?.asked()
    const kept = cached?.fresh<readonly VerifiedRow[]>(id)
    const found = kept ?? (await this.#database.ask<VerifiedRow>(VERIFY, [id]))
    const [token] = found
    if (!token) return undefined
    if (!isMeant(token)) return undefined
    if (token.revoked_at !== null) return undefined
    if (this.#clock().getTime() >= Date.parse(token.expires_at)) return undefined
    // Only valid secrets are cached, so that a wrong secret cannot evict a valid one.
    if (asked && !kept) cached?.keep(id, found, asked)
    const purposes = storedPurposes(token.purposes)
    return Object.freeze({
      ...rightsOf(token, found),
      ...(purposes.length > 0 && { purposes }),
      credential: { kind: this.kind, id },
    })
  }
}

/** Sets the given rights and leaves all others. Adds the user if the user is new. */
async function setRights(
  transaction: Transaction,
  { user, admin }: CreateToken,
  grants: ReturnType<typeof parseGrants> | undefined,
): Promise<void> {
  const add = 'INSERT INTO users (name) VALUES (?) ON CONFLICT (name) DO NOTHING'
  await transaction.run(add, [user])
  if (admin !== undefined) {
    await transaction.run('UPDATE users SET admin = ? WHERE name = ?', [Number(admin), user])
  }
  if (!grants) return
  await transaction.run('DELETE FROM grants WHERE user_name = ?', [user])
  const rows: Parameters[] = Array.from(grants).flatMap(([project, roles]) =>
    Array.from(roles, (role) => [user, project, role]),
  )
  await transaction.runEach('INSERT INTO grants (user_name, project, role) VALUES (?, ?, ?)', rows)
}

/** @param rows one row for each role of the user, or a single row without a project */
function rightsOf(user: UserRow, rows: readonly UserRow[]): Omit<Principal, 'credential'> {
  const projects = new Map<string, string[]>()
  for (const { project, role } of rows) {
    if (project === null || role === null) continue
    const roles = projects.get(project) ?? []
    roles.push(role)
    projects.set(project, roles)
  }
  return { user: user.name, admin: user.admin === 1, projects }
}

function summaryOf(token: ListedRow, rows: readonly ListedRow[]): TokenSummary {
  const { user, admin, projects } = rightsOf(token, rows)
  return Object.freeze({
    id: token.id,
    user,
    createdAt: token.created_at,
    expiresAt: token.expires_at,
    revokedAt: token.revoked_at,
    admin,
    projects: Array.from(projects, ([project, roles]) => grantText(project, roles)),
    purposes: storedPurposes(token.purposes),
  })
}

function storedPurposes(text: string): readonly string[] {
  const codes: unknown = JSON.parse(text)
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : []
}

function checkDays(days: number): void {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return
  throw new EngineError(
    'bad_input',
    `a lifetime of ${days} days is not possible; use a whole number from 1 to ${MAX_DAYS}`,
    { at: 'expiresDays' },
  )
}
