import type { StateCache } from '../catalogue/state-cache.ts'
import type { Database } from '../database/database.ts'
import { notify } from '../database/news.ts'
import { EngineError } from '../errors.ts'
import type { CredentialStore } from './authenticator.ts'
import { PERSON_COLUMNS, PeopleReader, type PersonRights, type PersonRow } from './people.ts'
import type { Principal } from './principal.ts'
import { idOfPrefixed, isSecretOf, makeSecret, shownId } from './secrets.ts'
import { checkScope, restrict, type TokenScope } from './token-scope.ts'

/** Maximum number of tokens of one person that have not expired. */
export const MAX_PERSONAL_TOKENS = 50
const MAX_DAYS = 365
const DEFAULT_DAYS = 30
const DAY_MS = 86_400_000
const NAME = /^[^\p{Cc}\p{Cs}]{1,64}$/u

/** The public fields of a personal token. */
export interface PersonalToken {
  readonly id: string
  readonly name: string
  readonly scope: TokenScope
  readonly createdAt: string
  readonly expiresAt: string
}

export interface CreatePersonalToken extends TokenScope {
  readonly name: string
  /** Lifetime in whole days, at most 365. Defaults to 30. */
  readonly days?: number | undefined
  /** Whether the owner's other tokens of this name end. */
  readonly replaces?: boolean | undefined
}

interface PersonalTokensContext {
  readonly database: Database
  readonly clock: () => Date
  readonly rights: PersonRights
  /** Cache of verified tokens. Without it every call reads the database. */
  readonly cache?: StateCache | undefined
}

interface TokenRow extends PersonRow {
  readonly secret_sha256: Uint8Array
  readonly scope: string
  readonly expires_at: string
}

const VERIFY = `SELECT t.secret_sha256, t.scope, t.expires_at, ${PERSON_COLUMNS}
  FROM personal_tokens t JOIN people p ON p.user_name = t.user_name
  WHERE t.id = ?`

/**
 * Tokens that people make themselves, for their programs. A token has at most the rights that its owner has at the
 * time of a request. Only hashes of the secrets are stored.
 */
export class PersonalTokenStore implements CredentialStore {
  readonly kind = 'token' as const
  readonly #context: PersonalTokensContext

  readonly #people: PeopleReader

  constructor(context: PersonalTokensContext) {
    this.#context = context
    this.#people = new PeopleReader(context.rights)
  }

  /**
   * Creates a token. This is the only time the secret can be read.
   * @param user user name of a person who has logged in
   * @throws EngineError `bad_input` for an unusable name, lifetime or scope, `conflict` for more than 50 tokens
   */
  async create(
    user: string,
    { name, days = DEFAULT_DAYS, replaces = false, projects, readOnly }: CreatePersonalToken,
  ): Promise<PersonalToken & { readonly secret: string }> {
    this.check({ name, days, projects, readOnly })
    const scope: TokenScope = { readOnly, ...(projects && { projects: [...new Set(projects)] }) }
    const { database, clock, cache } = this.#context
    const { id, secret, sha256 } = makeSecret('cmp')
    const now = clock()
    const createdAt = now.toISOString()
    const expiresAt = new Date(now.getTime() + days * DAY_MS).toISOString()
    await database.write(async (transaction) => {
      await transaction.run('DELETE FROM personal_tokens WHERE user_name = ? AND expires_at <= ?', [
        user,
        createdAt,
      ])
      if (replaces) {
        const sql = 'DELETE FROM personal_tokens WHERE user_name = ? AND name = ?'
        await transaction.run(sql, [user, name])
        await notify(transaction, database.dialect, { topic: 'tokens' })
      }
      const count = 'SELECT count(*) AS n FROM personal_tokens WHERE user_name = ?'
      const has = Number((await transaction.get<{ n: number }>(count, [user]))?.n)
      if (has >= MAX_PERSONAL_TOKENS) {
        const message = `you have ${has} tokens, which is the maximum; revoke one that you do not need`
        throw new EngineError('conflict', message)
      }
      await transaction.run(
        `INSERT INTO personal_tokens
          (id, user_name, secret_sha256, name, scope, created_at, expires_at)
          VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [id, user, sha256, name, JSON.stringify(scope), createdAt, expiresAt],
      )
    })
    if (replaces) cache?.drop({ topic: 'tokens' })
    return { id, secret, name, scope, createdAt, expiresAt }
  }

  /**
   * Checks the fields of a token without creating it.
   * @throws EngineError `bad_input` for an unusable name, lifetime or scope
   */
  check({ name, days = DEFAULT_DAYS, ...scope }: CreatePersonalToken): void {
    checkName(name)
    checkDays(days)
    checkScope(scope)
  }

  /** Returns the tokens of a person that have not expired, oldest first. */
  async list(user: string): Promise<PersonalToken[]> {
    const { database, clock } = this.#context
    const sql = `SELECT id, name, scope, created_at, expires_at FROM personal_tokens
      WHERE user_name = ? AND expires_at > ? ORDER BY created_at, id`
    type Row = { id: string; name: string; scope: string; created_at: string; expires_at: string }
    const rows = await database.ask<Row>(sql, [user, clock().toISOString()])
    return rows.map(({ id, name, scope, created_at: createdAt, expires_at: expiresAt }) =>
      Object.freeze({ id, name, scope: JSON.parse(scope) as TokenScope, createdAt, expiresAt }),
    )
  }

  /**
   * Ends a token of a person for all processes.
   * @throws EngineError `not_found` if the person has no token with this id
   */
  async revoke(user: string, id: string): Promise<void> {
    const { database, cache } = this.#context
    const news = { topic: 'tokens' as const }
    const { changes } = await database.write(async (transaction) => {
      await notify(transaction, database.dialect, news)
      const sql = 'DELETE FROM personal_tokens WHERE user_name = ? AND id = ?'
      return transaction.run(sql, [user, id])
    })
    cache?.drop(news)
    if (changes > 0) return
    throw new EngineError('not_found', `you have no token with ${shownId(id)}`)
  }

  accepts(secret: string): boolean {
    return idOfPrefixed(secret, 'cmp') !== undefined
  }

  /**
   * Returns the owner of a secret with the rights of the token. Returns undefined if the secret is unknown, expired
   * or revoked. Accepts any text.
   */
  async verify(secret: string): Promise<Principal | undefined> {
    const id = idOfPrefixed(secret, 'cmp')
    if (id === undefined) return undefined
    return this.#good(id, ({ secret_sha256: stored }) => isSecretOf(stored, secret))
  }

  /** Returns the id in a verified secret, for tickets. */
  async lend(secret: string): Promise<string | undefined> {
    return idOfPrefixed(secret, 'cmp')
  }

  /** Returns the owner of a token by its id, without the secret, for links signed for its bearer. */
  async bearer(id: string): Promise<Principal | undefined> {
    return this.#good(id, () => true)
  }

  async #good(id: string, isMeant: (row: TokenRow) => boolean): Promise<Principal | undefined> {
    const { database, clock, cache } = this.#context
    const cached = cache?.tokens
    const asked = cached?.asked()
    const kept = cached?.fresh<TokenRow>(keyOf(id))
    const row = kept ?? (await database.ask<TokenRow>(VERIFY, [id]))[0]
    if (!row || !isMeant(row)) return undefined
    if (clock().getTime() >= Date.parse(row.expires_at)) return undefined
    const rights = await this.#people.rightsOf(row, id)
    if (!rights) return undefined
    // Only valid secrets are cached, so that a wrong secret cannot evict a valid one.
    if (asked && !kept) cached?.keep(keyOf(id), row, asked)
    return Object.freeze({
      user: row.user_name,
      ...restrict(rights, JSON.parse(row.scope) as TokenScope),
      purposes: rights.purposes,
      credential: { kind: this.kind, id },
    })
  }
}

/** Key of a personal token in the cache, which it shares with tokens. */
const keyOf = (id: string) => `personal:${id}`

function checkName(name: string): void {
  if (NAME.test(name) && name.trim() === name) return
  const message = `token name ${JSON.stringify(name.slice(0, 64))} is not usable; use 1 to 64 characters without control characters and outer spaces`
  throw new EngineError('bad_input', message, { at: 'name' })
}

function checkDays(days: number): void {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return
  const message = `a lifetime of ${days} days is not possible; use a whole number from 1 to ${MAX_DAYS}`
  throw new EngineError('bad_input', message, { at: 'days' })
}
