import { createHash } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import type { StateCache } from '../../catalogue/state-cache.ts'
import type { Database } from '../../database/database.ts'
import type { Report } from '../../events.ts'
import { isObject, type Unknowns } from '../../input/unknowns.ts'
import type { CredentialStore } from '../authenticator.ts'
import {
  type ClaimRights,
  type ClaimRightsReader,
  type Identity,
  userOf,
} from '../claims/claim-rights.ts'
import type { Principal } from '../principal.ts'
import type { Caller } from '../roles.ts'
import { type FetchDocument, IssuerKeys, type KeySet } from './issuer-keys.ts'
import { LentJwts } from './lent-jwts.ts'

/** Which JWTs are accepted. */
export interface JwtRules {
  /** URLs of the issuers, exactly as in the claim `iss`. */
  readonly issuers: readonly string[]
  /** A token must be for one of these. */
  readonly audiences: readonly string[]
  /** Asymmetric algorithms of JWS, such as RS256. */
  readonly algorithms: readonly string[]
  /** Seconds by which the clock of an issuer may differ. */
  readonly skewSeconds: number
  /** Whether the registry accepts a JWT in the header of its key. */
  readonly acceptsRegistry: boolean
  readonly fetchDocument: FetchDocument
}

interface JwtContext {
  readonly database: Database
  readonly rights: ClaimRightsReader
  readonly clock: () => Date
  readonly report: Report
  readonly cache?: StateCache | undefined
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Limits in characters of a token, and of its names in the state. */
export const JWT_LIMITS = Object.freeze({ characters: 16 << 10, name: 255 })

const FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** Types of access tokens (RFC 9068) and of tokens without a type of their own. */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'at+jwt', 'application/at+jwt']
/** Verified tokens that are remembered. Their characters count, because their claims are in memory. */
const REMEMBERED = Object.freeze({ tokens: 2000, characters: 2 << 20 })
const ID_CHARACTERS = 32

/** A token with a good signature. */
interface Verified {
  /** Half of the SHA-256 of the token, in hex. */
  readonly id: string
  readonly identity: Identity
  /** Keys that it was verified with. Other keys verify it again. */
  readonly keys: KeySet
  readonly issuer: IssuerKeys
  /** Milliseconds since 1970, with the permitted skew. */
  readonly validFrom: number
  readonly validUntil: number
  readonly characters: number
}

/** Verifies JWTs of the configured issuers (RFC 7519, RFC 8725), and gives their subjects the mapped rights. */
export class JwtVerifier implements CredentialStore {
  readonly kind = 'jwt' as const
  readonly #rules: JwtRules
  readonly #context: JwtContext
  readonly #issuers: ReadonlyMap<string, IssuerKeys>
  readonly #lent: LentJwts
  readonly #remembered = new Map<string, Verified>()
  #characters = 0

  constructor(rules: JwtRules, context: JwtContext) {
    this.#rules = rules
    this.#context = context
    this.#lent = new LentJwts(context)
    const { report, now = () => performance.now() } = context
    const { fetchDocument } = rules
    this.#issuers = new Map(
      rules.issuers.map((issuer) => [
        issuer,
        new IssuerKeys({ issuer, fetchDocument, report, now }),
      ]),
    )
  }

  accepts(secret: string): boolean {
    return this.#issuers.size > 0 && secret.length <= JWT_LIMITS.characters && FORM.test(secret)
  }

  /**
   * Returns the owner of a token with the rights that the map gives now. Returns undefined if the token is
   * unacceptable, expired or revoked.
   * @throws EngineError `busy` while the keys of the issuer cannot be read, `unavailable` if the database does not
   * answer
   */
  async verify(secret: string): Promise<Principal | undefined> {
    const verified = await this.#verified(secret)
    return verified && this.#principalOf(verified)
  }

  /**
   * Returns the caller of the registry that a token stands for, or undefined if it has no access to it.
   * @throws EngineError like `verify`
   */
  async callerOf(secret: string): Promise<Caller | undefined> {
    if (!this.#rules.acceptsRegistry || !this.accepts(secret)) return undefined
    const verified = await this.#verified(secret)
    if (!verified) return undefined
    const rights = await this.#context.rights.rightsOf(verified.identity)
    if (!rights?.registry) return undefined
    return Object.freeze({ user: userOf(verified.identity), roles: rights.registry })
  }

  /**
   * Returns the id of a token for tickets, after what they need was stored.
   * @throws EngineError `busy` or `unavailable` like `verify`; also `unavailable` if it cannot be stored
   */
  async lend(secret: string): Promise<string | undefined> {
    const verified = await this.#verified(secret)
    if (!verified) return undefined
    const { id, identity, validUntil } = verified
    const claims = await this.#context.rights.mappedClaims(identity)
    await this.#lent.add({ id, identity: { ...identity, claims }, validUntil })
    return id
  }

  /**
   * Returns the owner of a token by its id, with the rights that the map gives now.
   * @throws EngineError `unavailable` if the database does not answer
   */
  async bearer(id: string): Promise<Principal | undefined> {
    const lent = await this.#lent.find(id)
    if (!lent || !this.#issuers.has(lent.identity.issuer)) return undefined
    if (this.#context.clock().getTime() >= lent.validUntil) return undefined
    return this.#principalOf(lent)
  }

  async #principalOf({ id, identity }: Pick<Verified, 'id' | 'identity'>) {
    const rights: ClaimRights | undefined = await this.#context.rights.rightsOf(identity)
    if (!rights) return undefined
    const { admin, projects, purposes } = rights
    const credential = { kind: this.kind, id }
    return Object.freeze({ user: userOf(identity), admin, projects, purposes, credential })
  }

  async #verified(secret: string): Promise<Verified | undefined> {
    const key = createHash('sha256').update(secret).digest('hex')
    const remembered = this.#remembered.get(key)
    const verified =
      remembered && (await this.#isCurrent(remembered)) ? remembered : await this.#read(secret, key)
    if (!verified) return undefined
    this.#remember(key, verified)
    const now = this.#context.clock().getTime()
    return now >= verified.validFrom && now < verified.validUntil ? verified : undefined
  }

  async #isCurrent({ issuer, keys }: Verified): Promise<boolean> {
    return keys === (issuer.recent() ?? (await issuer.current()))
  }

  #remember(key: string, verified: Verified): void {
    this.#forget(key)
    this.#remembered.set(key, verified)
    this.#characters += verified.characters
    const { tokens, characters } = REMEMBERED
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= tokens && this.#characters <= characters) break
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#characters -= this.#remembered.get(key)?.characters ?? 0
    this.#remembered.delete(key)
  }

  async #read(secret: string, key: string): Promise<Verified | undefined> {
    const issuerName = issuerOf(secret)
    const issuer = issuerName === undefined ? undefined : this.#issuers.get(issuerName)
    if (!issuer || issuerName === undefined) return undefined
    const keys = await issuer.current()
    const payload = await this.#payloadOf(secret, issuerName, keys)
    if (payload !== 'unknown key')
      return payload && this.#verifiedBy(payload, { issuer, keys, secret, key })
    const newer = await issuer.newerThan(keys)
    if (newer === keys) return undefined
    const again = await this.#payloadOf(secret, issuerName, newer)
    if (again === 'unknown key' || !again) return undefined
    return this.#verifiedBy(again, { issuer, keys: newer, secret, key })
  }

  async #payloadOf(
    secret: string,
    issuer: string,
    { find }: KeySet,
  ): Promise<Unknowns | 'unknown key' | undefined> {
    const { algorithms, audiences, skewSeconds } = this.#rules
    try {
      const { payload, protectedHeader } = await jwtVerify(secret, find, {
        issuer,
        algorithms: [...algorithms],
        audience: [...audiences],
        clockTolerance: skewSeconds,
        currentDate: this.#context.clock(),
        requiredClaims: ['exp', 'sub'],
      })
      return TYPES.includes(protectedHeader.typ) ? payload : undefined
    } catch (error) {
      // Whatever is wrong with a token, its sender learns only that it is not accepted.
      return error instanceof errors.JWKSNoMatchingKey ? 'unknown key' : undefined
    }
  }

  #verifiedBy(
    claims: Unknowns,
    {
      issuer,
      keys,
      secret,
      key,
    }: Pick<Verified, 'issuer' | 'keys'> & { secret: string; key: string },
  ): Verified | undefined {
    const { iss, sub, jti, exp, nbf = 0, cnf } = claims
    if (typeof iss !== 'string' || !isName(sub) || typeof exp !== 'number') return undefined
    if (typeof nbf !== 'number' || (jti !== undefined && !isName(jti))) return undefined
    // A token that is bound to a key of its holder proves nothing without that key (RFC 8705, RFC 9449).
    if (cnf !== undefined) return undefined
    const id = key.slice(0, ID_CHARACTERS)
    const tokenNames = jti === undefined ? [id] : [jti, id]
    const skew = this.#rules.skewSeconds
    return Object.freeze({
      id,
      identity: Object.freeze({ issuer: iss, subject: sub, tokenNames, claims }),
      keys,
      issuer,
      validFrom: (nbf - skew) * 1000,
      validUntil: (exp + skew) * 1000,
      characters: secret.length,
    })
  }
}

/** Returns the claim `iss` of a token whose signature is not verified yet. */
function issuerOf(secret: string): string | undefined {
  try {
    const payload: unknown = JSON.parse(
      Buffer.from(secret.split('.')[1] ?? '', 'base64url').toString(),
    )
    return isObject(payload) && typeof payload.iss === 'string' ? payload.iss : undefined
  } catch {
    return undefined
  }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= JWT_LIMITS.name &&
  !/[\p{Cc}\p{Cs}]/u.test(value)
