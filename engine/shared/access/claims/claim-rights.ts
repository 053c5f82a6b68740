import type { StateCache } from '../../catalogue/state-cache.ts'
import type { Database } from '../../database/database.ts'
import type { Unknowns } from '../../input/unknowns.ts'
import type { Principal } from '../principal.ts'
import { type Role, storedRoles } from '../roles.ts'
import type { Mapping } from './access-map.ts'
import { hasClaim, valuesOf } from './claim-values.ts'

/** Somebody whom an issuer has authenticated. */
export interface Identity {
  /** URL of the issuer, exactly as in the claim `iss`. */
  readonly issuer: string
  /** Claim `sub`. Unique at the issuer. */
  readonly subject: string
  /** Names of the token by which it can be revoked: its `jti`, and its id in records. */
  readonly tokenNames: readonly string[]
  /** Verified claims. They must not change, because what they give is remembered per object. */
  readonly claims: Unknowns
}

/** Rights that the map gives to an identity. */
export interface ClaimRights extends Pick<Principal, 'admin' | 'projects'> {
  /** Roles in the registry. Undefined without access to it. */
  readonly registry: ReadonlySet<Role> | undefined
  /** Stated purposes and accepted conditions in their usual form. */
  readonly purposes: readonly string[]
}

/** The map of one version, by issuer and claim, and then by value. */
interface LoadedMap {
  readonly version: string
  readonly issuers: ReadonlyMap<
    string,
    ReadonlyMap<string, ReadonlyMap<string, readonly Mapping[]>>
  >
}

interface StandingRow {
  readonly version: string
  readonly revoked: number
}

/** Two names per token are compared. An identity with fewer repeats one. */
const STANDING = `
  SELECT v.version, (
    SELECT count(*) FROM access_revocations r WHERE r.issuer = ?
      AND ((r.kind = 'subject' AND r.name = ?) OR (r.kind = 'token' AND r.name IN (?, ?)))
  ) AS revoked
  FROM access_version v`
const MAP = `
  SELECT v.version, m.issuer, m.claim, m.value, m.kind, m.project, m.role
  FROM access_version v LEFT JOIN access_map m ON v.one = 1`

/** Returns the name of a user in histories. It is unique among all issuers, and no name of a token's user. */
export const userOf = ({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string =>
  `${issuer}#${subject}`

/** Finds the rights of identities by the operator's map. Each process has the map in memory. */
export class ClaimRightsReader {
  readonly #database: Database
  readonly #cache: StateCache | undefined
  #loaded: LoadedMap | undefined
  #loading: Promise<LoadedMap> | undefined
  #known = new WeakMap<Unknowns, { readonly map: LoadedMap; readonly rights: ClaimRights }>()

  /** @param cache keeps what was read; without it every call reads the database */
  constructor(database: Database, cache?: StateCache) {
    this.#database = database
    this.#cache = cache
  }

  /**
   * Returns the rights of an identity now. Returns undefined if the subject or the token is revoked.
   * @throws EngineError `unavailable` if the database does not answer
   */
  async rightsOf(identity: Identity): Promise<ClaimRights | undefined> {
    const { version, revoked } = await this.#standingOf(identity)
    if (revoked > 0) return undefined
    const map = await this.#mapOf(version)
    const known = this.#known.get(identity.claims)
    if (known?.map === map) return known.rights
    const rights = rightsIn(map, identity)
    this.#known.set(identity.claims, { map, rights })
    return rights
  }

  /**
   * Returns the claims that the map names for an issuer, each with its values as texts. Rights by these claims
   * are those by all claims, for as long as no other claim is mapped.
   */
  async mappedClaims({ issuer, claims }: Pick<Identity, 'issuer' | 'claims'>): Promise<Unknowns> {
    const map = await this.#load()
    const names = [...(map.issuers.get(issuer)?.keys() ?? [])]
    return Object.fromEntries(names.map((name) => [name, valuesOf(claims, name)]))
  }

  /** Returns the claims that the map names for an issuer and that an identity does not have. */
  async absentClaims({
    issuer,
    claims,
  }: Pick<Identity, 'issuer' | 'claims'>): Promise<readonly string[]> {
    const map = await this.#load()
    return [...(map.issuers.get(issuer)?.keys() ?? [])].filter((name) => !hasClaim(claims, name))
  }

  async #standingOf({ issuer, subject, tokenNames }: Identity): Promise<StandingRow> {
    const [first = '', second = first] = tokenNames
    const cached = this.#cache?.tokens
    const key = JSON.stringify([issuer, subject, first, second])
    const asked = cached?.asked()
    const kept = cached?.fresh<StandingRow>(key)
    if (kept) return kept
    const rows = await this.#database.ask<StandingRow>(STANDING, [issuer, subject, first, second])
    const [row] = rows
    if (!row) throw new Error('the version of the access map is missing')
    if (asked) cached?.keep(key, row, asked)
    return row
  }

  async #mapOf(version: string): Promise<LoadedMap> {
    if (this.#loaded?.version === version) return this.#loaded
    const map = await this.#load()
    // Another request may have begun that load before the version changed.
    return map.version === version ? map : this.#load()
  }

  #load(): Promise<LoadedMap> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #read(): Promise<LoadedMap> {
    const rows = await this.#database.ask<MapRow>(MAP)
    const version = rows[0]?.version ?? ''
    if (this.#loaded?.version === version) return this.#loaded
    const issuers = new Map<string, ByClaim>()
    for (const mapping of rows) {
      // An empty map gives one row of nulls.
      if (mapping.issuer === null) continue
      const claims = entryOf(issuers, mapping.issuer, (): ByClaim => new Map())
      const values = entryOf(claims, mapping.claim, (): ByValue => new Map())
      entryOf(values, mapping.value, (): Mapping[] => []).push(mapping)
    }
    this.#loaded = { version, issuers }
    return this.#loaded
  }
}

type ByValue = Map<string, Mapping[]>
type ByClaim = Map<string, ByValue>
type MapRow = { readonly version: string } & (Mapping | { readonly issuer: null })

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function rightsIn({ issuers }: LoadedMap, { issuer, claims }: Identity): ClaimRights {
  const given = Array.from(issuers.get(issuer) ?? []).flatMap(([claim, values]) =>
    // A repeated value gives its rights once, which also bounds the work by the size of the map.
    [...new Set(valuesOf(claims, claim))].flatMap((value) => values.get(value) ?? []),
  )
  const projects = new Map<string, string[]>()
  const registry: string[] = []
  for (const { kind, project, role } of given) {
    if (kind === 'registry') registry.push(role)
    if (kind !== 'project') continue
    const roles = entryOf(projects, project, () => [])
    if (!roles.includes(role)) roles.push(role)
  }
  return Object.freeze({
    admin: given.some(({ kind }) => kind === 'admin'),
    projects,
    purposes: given.flatMap(({ kind, role }) => (kind === 'purpose' ? [role] : [])),
    registry: registry.length > 0 ? new Set(storedRoles(registry)) : undefined,
  })
}
