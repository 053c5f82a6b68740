import { randomUUID } from 'node:crypto'
import type { StateCache } from '../../catalogue/state-cache.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { notify } from '../../database/news.ts'
import type { Parameters } from '../../database/values.ts'
import { EngineError } from '../../errors.ts'
import { parsePurposes } from '../consent.ts'
import { parseGrants } from '../grants.ts'
import { readRoles } from '../roles.ts'

/** A claim of an issuer, and one value of it. */
export interface ClaimValue {
  /** URL of the issuer, exactly as in the claim `iss`. */
  readonly issuer: string
  /** Name of the claim, or names separated by dots. */
  readonly claim: string
  readonly value: string
}

/** Rights to give for a claim. At least one of them. */
export interface MappedRights {
  /** Grants of the form `ID` or `ID:role,role`. */
  readonly projects?: readonly string[] | undefined
  readonly admin?: boolean | undefined
  /** Roles in the registry. An empty list gives the rights of a key without roles. */
  readonly registry?: readonly string[] | undefined
  /** Purposes and accepted conditions, as codes that `purposeCode` reads. They are no right by themselves. */
  readonly purposes?: readonly string[] | undefined
}

/** One right of one value of a claim. */
export interface Mapping extends ClaimValue {
  readonly kind: 'project' | 'admin' | 'registry' | 'purpose'
  /** Empty unless the kind is `project`. */
  readonly project: string
  /**
   * Role in the project or the registry, or the code of a purpose. Empty for an administrator and for a reader of
   * the registry.
   */
  readonly role: string
}

/** Who is revoked: a subject of an issuer with all tokens, or one token by its `jti` or its id in records. */
export interface Revoked {
  readonly issuer: string
  readonly kind: 'subject' | 'token'
  readonly name: string
}

/** Limits of the map, which each process has in memory. */
const ACCESS_MAP_LIMITS = Object.freeze({ mappings: 10_000, characters: 1000 })

const CHANGED = Object.freeze({ topic: 'tokens' as const })
const COLUMNS = 'issuer, claim, value, kind, project, role'

/**
 * The operator's table of which claims give which rights, and of revoked subjects and tokens. An edit takes
 * effect in other processes in the same way as for tokens (see TokenStore).
 */
export class AccessMap {
  readonly #database: Database
  readonly #clock: () => Date
  readonly #cache: StateCache | undefined

  /**
   * @param clock returns the current time
   * @param cache cache of this process that edits of this process empty
   */
  constructor(database: Database, clock: () => Date, cache?: StateCache) {
    this.#database = database
    this.#clock = clock
    this.#cache = cache
  }

  /**
   * Adds rights for a value of a claim. Rights that it has are kept.
   * @throws EngineError `bad_input` for an unusable issuer, claim, value, project or role, or without any right;
   *   `too_many` above the limit of the map
   */
  async map(of: ClaimValue, rights: MappedRights): Promise<void> {
    checkClaimValue(of)
    const mappings = mappingsOf(rights)
    if (mappings.length === 0) {
      const message =
        'no right is given; give projects, the rights of an administrator, the registry, or purposes'
      throw new EngineError('bad_input', message, { at: 'rights' })
    }
    const { issuer, claim, value } = of
    const now = this.#clock().toISOString()
    await this.#change(async (transaction) => {
      const sql = `INSERT INTO access_map (${COLUMNS}, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (${COLUMNS}) DO NOTHING`
      const rows = mappings.map(
        ({ kind, project, role }): Parameters => [issuer, claim, value, kind, project, role, now],
      )
      await transaction.runEach(sql, rows)
      const [count] = await transaction.all<{ n: number }>('SELECT count(*) AS n FROM access_map')
      if ((count?.n ?? 0) <= ACCESS_MAP_LIMITS.mappings) return
      const message = `the map would have more than ${ACCESS_MAP_LIMITS.mappings} rights; map groups instead of single users`
      throw new EngineError('too_many', message)
    })
  }

  /**
   * Removes rights of a value of a claim. Without rights, removes all that the value has.
   * @throws EngineError `not_found` if it has none of them, `bad_input` like `map`
   */
  async unmap(of: ClaimValue, rights: MappedRights): Promise<void> {
    const { issuer, claim, value } = of
    const named = namedRights(rights)
    const removed = await this.#change(async (transaction) => {
      const sql = 'DELETE FROM access_map WHERE issuer = ? AND claim = ? AND value = ?'
      const one = [issuer, claim, value]
      if (named.length === 0) return (await transaction.run(sql, one)).changes
      let changes = 0
      for (const { kind, project } of named) {
        const parameters = [...one, kind, project]
        changes += (await transaction.run(`${sql} AND kind = ? AND project = ?`, parameters))
          .changes
      }
      return changes
    })
    if (removed > 0) return
    const message = `claim ${JSON.stringify(claim)} with the value ${JSON.stringify(value)} has no such right; the map is what list gives`
    throw new EngineError('not_found', message)
  }

  /** Returns all rights, in the order of issuer, claim and value. */
  async list(): Promise<Mapping[]> {
    return this.#database.ask<Mapping>(`SELECT ${COLUMNS} FROM access_map ORDER BY ${COLUMNS}`)
  }

  /**
   * Refuses a subject or token from now on, until it is restored. It need not be known here.
   * @throws EngineError `bad_input` for an unusable issuer or name
   */
  async revoke({ issuer, kind, name }: Revoked): Promise<void> {
    checkIssuer(issuer)
    checkText('name', name)
    const now = this.#clock().toISOString()
    await this.#change((transaction) =>
      transaction.run(
        `INSERT INTO access_revocations (issuer, kind, name, revoked_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (issuer, kind, name) DO NOTHING`,
        [issuer, kind, name, now],
      ),
    )
  }

  /**
   * Ends the revocation of a subject or token.
   * @throws EngineError `not_found` if it is not revoked
   */
  async restore({ issuer, kind, name }: Revoked): Promise<void> {
    const sql = 'DELETE FROM access_revocations WHERE issuer = ? AND kind = ? AND name = ?'
    const { changes } = await this.#change((transaction) =>
      transaction.run(sql, [issuer, kind, name]),
    )
    if (changes > 0) return
    throw new EngineError(
      'not_found',
      `this ${kind} is not revoked; the revoked ones are those that list gives`,
    )
  }

  /** Returns all that is revoked, with its time. */
  async revoked(): Promise<(Revoked & { readonly revokedAt: string })[]> {
    const sql = `SELECT issuer, kind, name, revoked_at AS "revokedAt" FROM access_revocations
      ORDER BY issuer, kind, name`
    return this.#database.ask(sql)
  }

  async #change<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const result = await this.#database.write(async (transaction) => {
      const done = await work(transaction)
      await transaction.run('UPDATE access_version SET version = ?', [randomUUID()])
      await notify(transaction, this.#database.dialect, CHANGED)
      return done
    })
    this.#cache?.drop(CHANGED)
    return result
  }
}

type Right = Pick<Mapping, 'kind' | 'project' | 'role'>

function mappingsOf({
  projects = [],
  admin = false,
  registry,
  purposes = [],
}: MappedRights): readonly Right[] {
  const ofProjects = Array.from(parseGrants(projects)).flatMap(([project, roles]) =>
    roles.map((role): Right => ({ kind: 'project', project, role })),
  )
  const roles: readonly string[] =
    registry && registry.length === 0 ? [''] : readRoles(registry ?? [])
  return [
    ...ofProjects,
    ...(admin ? [{ kind: 'admin', project: '', role: '' } as const] : []),
    ...roles.map((role): Right => ({ kind: 'registry', project: '', role })),
    ...parsePurposes(purposes).map((role): Right => ({ kind: 'purpose', project: '', role })),
  ]
}

/** Returns the kinds and projects of given rights. All roles of a project go together. */
function namedRights({
  projects = [],
  admin,
  registry,
  purposes,
}: MappedRights): Omit<Right, 'role'>[] {
  return [
    ...Array.from(
      parseGrants(projects).keys(),
      (project) => ({ kind: 'project', project }) as const,
    ),
    ...(admin ? [{ kind: 'admin', project: '' } as const] : []),
    ...(registry ? [{ kind: 'registry', project: '' } as const] : []),
    ...(purposes ? [{ kind: 'purpose', project: '' } as const] : []),
  ]
}

function checkClaimValue({ issuer, claim, value }: ClaimValue): void {
  checkIssuer(issuer)
  checkText('claim', claim)
  checkText('value', value)
}

function checkIssuer(issuer: string): void {
  checkText('issuer', issuer)
  const url = URL.parse(issuer)
  if (url && /^https?:$/.test(url.protocol)) return
  const message = `issuer ${JSON.stringify(issuer)} is no URL; give it as in the claim iss, such as https://login.example.org`
  throw new EngineError('bad_input', message, { at: 'issuer' })
}

function checkText(at: string, text: string): void {
  const { characters } = ACCESS_MAP_LIMITS
  if (text.length > 0 && text.length <= characters && !/[\p{Cc}\p{Cs}]/u.test(text)) return
  const message = `the ${at} is not usable; give 1 to ${characters} characters without control characters`
  throw new EngineError('bad_input', message, { at })
}
