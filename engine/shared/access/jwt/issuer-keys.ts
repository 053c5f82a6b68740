import { createPublicKey } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose'
import { EngineError } from '../../errors.ts'
import type { Report } from '../../events.ts'
import { isObject } from '../../input/unknowns.ts'

/**
 * Fetches a JSON document by HTTP. It limits its size and time, follows no redirect, and rejects a status other
 * than 200.
 */
export type FetchDocument = (url: string) => Promise<unknown>

/** The public keys of an issuer at one time. */
export interface KeySet {
  readonly find: JWTVerifyGetKey
}

interface IssuerKeysOptions {
  readonly issuer: string
  readonly fetchDocument: FetchDocument
  readonly report: Report
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
}

/** Milliseconds. Times of key sets. */
export const KEY_TIMES = Object.freeze({
  /** Shortest time between two fetches, whatever requests come. */
  pause: 60_000,
  /** Age from which a request starts a fetch without waiting for it. */
  renewed: 300_000,
  /** Age from which requests wait for a fetch. */
  fresh: 600_000,
  /** Age up to which keys are used while the issuer does not answer. */
  longest: 3_600_000,
})

const MAX_KEYS = 100
/** Sizes in bits of RSA keys. Verification takes 16 times as long with the largest as with the smallest. */
const RSA_BITS = Object.freeze({ least: 2048, most: 8192 })
const DISCOVERY = '/.well-known/openid-configuration'

interface Held {
  readonly keys: KeySet
  readonly text: string
  readonly fetchedAt: number
}

/** Public keys of one issuer. They are fetched on demand, by one request at a time. */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions
  #held: Held | undefined
  #attemptedAt = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | undefined

  constructor(options: IssuerKeysOptions) {
    this.#options = options
  }

  /** Returns the keys if they are so recent that no request needs to wait. */
  recent(): KeySet | undefined {
    const age = this.#age()
    if (age >= KEY_TIMES.renewed) return undefined
    return this.#held?.keys
  }

  /**
   * Returns the current keys. Waits for a fetch only if they are older than ten minutes.
   * @throws EngineError `busy` if there are none, or none that are recent enough. Anyone can cause this error while
   * the issuer does not answer, so it is not one of those that are logged. The failed fetch is reported instead.
   */
  async current(): Promise<KeySet> {
    if (this.#age() >= KEY_TIMES.renewed) {
      const fetching = this.#fetch()
      if (this.#age() >= KEY_TIMES.fresh) await fetching
    }
    if (this.#held && this.#age() < KEY_TIMES.longest) return this.#held.keys
    const message =
      'the keys of the issuer of the token cannot be read now; try again in a minute, or use another token'
    throw new EngineError('busy', message, { retryAfterSeconds: KEY_TIMES.pause / 1000 })
  }

  /**
   * Returns the keys for a token whose key is not among these. They are fetched anew, unless they just were.
   * @throws EngineError `busy` like `current`
   */
  async newerThan(keys: KeySet): Promise<KeySet> {
    if (this.#held?.keys === keys) await this.#fetch()
    return this.current()
  }

  #age(): number {
    return this.#held ? this.#options.now() - this.#held.fetchedAt : Number.POSITIVE_INFINITY
  }

  /** Fetches the keys, or joins a fetch in progress. Does nothing within a minute of the last one. Never rejects. */
  #fetch(): Promise<void> {
    const now = this.#options.now()
    if (this.#fetching) return this.#fetching
    if (now - this.#attemptedAt < KEY_TIMES.pause) return Promise.resolve()
    this.#attemptedAt = now
    this.#fetching = this.#fetched()
      .catch((cause: unknown) => {
        const message = `the keys of the issuer ${this.#options.issuer} cannot be read`
        this.#options.report({ level: 'warn', message, cause })
      })
      .finally(() => {
        this.#fetching = undefined
      })
    return this.#fetching
  }

  async #fetched(): Promise<void> {
    const { issuer, fetchDocument, now } = this.#options
    const fetchedAt = now()
    const configuration = await fetchDocument(issuer.replace(/\/$/, '') + DISCOVERY)
    const { jwks_uri: address, issuer: named } = asObject(configuration, 'the configuration')
    if (named !== issuer) {
      throw new EngineError('unavailable', 'the configuration of the issuer names another issuer')
    }
    if (typeof address !== 'string' || !isSafeAddress(address, issuer)) {
      throw new EngineError('unavailable', 'the configuration of the issuer has no usable jwks_uri')
    }
    const { keys } = asObject(await fetchDocument(address), 'the key set')
    if (!Array.isArray(keys) || keys.length > MAX_KEYS) {
      throw new EngineError('unavailable', `the key set has no list of up to ${MAX_KEYS} keys`)
    }
    const usable = keys.filter(isUsable)
    const text = JSON.stringify(usable)
    // The same object tells that tokens verified with it need not be verified again.
    const same = this.#held?.text === text ? this.#held.keys : undefined
    const set: JSONWebKeySet = { keys: usable }
    this.#held = { keys: same ?? { find: createLocalJWKSet(set) }, text, fetchedAt }
  }
}

/**
 * Returns whether an address can be fetched: by HTTPS, or by HTTP from this machine if the issuer is such an
 * address itself.
 */
function isSafeAddress(address: string, issuer: string): boolean {
  const url = URL.parse(address)
  if (url?.username !== '' || url.password !== '') return false
  return isIssuerAddress(url.origin) && (url.protocol === 'https:' || issuer.startsWith('http:'))
}

/** Returns whether tokens of an issuer at this address can be trusted: HTTPS, or HTTP on this machine. */
export function isIssuerAddress(address: string): boolean {
  const url = URL.parse(address)
  if (!url) return false
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)
}

function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  throw new EngineError('unavailable', `${what} of the issuer is no JSON object`)
}

/** Returns whether a key is public, for signatures, and of a usable size. Others of a set are ignored. */
function isUsable(key: unknown): key is JWK {
  if (!isObject(key) || !['RSA', 'EC', 'OKP'].includes(String(key.kty))) return false
  if (key.use !== undefined && key.use !== 'sig') return false
  if ('d' in key) return false
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' })
    const { modulusLength: bits } = asymmetricKeyDetails ?? {}
    return bits === undefined || (bits >= RSA_BITS.least && bits <= RSA_BITS.most)
  } catch {
    return false
  }
}
