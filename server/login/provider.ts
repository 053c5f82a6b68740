import * as openid from 'openid-client'
import type { ClaimRightsReader, Person } from '../../engine/shared/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { Gate } from '../../engine/shared/internal.ts'
import type { LoginSettings } from '../config.ts'
import { ClientTable } from '../http/client-table.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** Path to which the institution sends the browser after a log-in. */
export const CALLBACK_PATH = '/auth/login/callback'
/** Path to which the institution sends the browser after a log-out. */
export const LOGGED_OUT_PATH = '/auth/logged-out'

/** Seconds that one request to the institution may take. A log-in needs at most four. */
const REQUEST_SECONDS = 5
/** Milliseconds for which the description of the institution is used. */
const FRESH_MS = 600_000
/** Milliseconds after a failed attempt to read it at which the next attempt is made. */
const RETRY_MS = 5000
/** Milliseconds between two readings of keys because of a token with an unknown key. */
const KEYS_MS = 60_000
/** Maximum number of log-ins that talk to the institution at once, and of those that wait. */
const CONCURRENT = 16
const WAITING = 64
const BUSY = 'too many people log in at once; try again in a moment'
/**
 * Limits of one address: half of the places, so that nobody can keep all others out, and a rate that people behind
 * one address do not reach. Further requests would count against this service at the institution.
 */
const OF_ONE = Object.freeze({ perMinute: 600, burst: 200, concurrent: 40 })
/** Maximum number of addresses that are remembered. */
const ADDRESSES = 10_000

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Secrets of one log-in, which only the browser that began it has. */
export interface LoginSecrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Parameters with which the institution sends the browser back. */
interface LoginReturn {
  readonly code?: string | undefined
  readonly state?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

/** Instructions for a person who logs a device in. */
interface DeviceLogin {
  /** Secret of the device. */
  readonly deviceCode: string
  /** Code that the person compares or types. */
  readonly userCode: string
  readonly address: string
  /** Address that contains the code, if the institution has one. */
  readonly completeAddress: string | undefined
  readonly expiresInSeconds: number
  /** Seconds between two polls. */
  readonly intervalSeconds: number
}

/** Result of a log-in: the person, a refusal, or that the keys were read anew, so that another attempt may succeed. */
type LoginResult = Person | 'refused' | 'again'

/** Result of a poll: the person, or whether to wait on, at longer intervals, or to give up. */
type DevicePoll = Person | 'pending' | 'slow_down' | 'refused'

/** The institution at which people log in, by OpenID Connect. Nothing that it sends is trusted unverified. */
export class LoginProvider {
  readonly #settings: LoginSettings
  readonly #claims: Pick<ClaimRightsReader, 'absentClaims'>
  readonly #gate = new Gate(CONCURRENT, WAITING, BUSY)
  readonly #clients = new ClientTable(OF_ONE, ADDRESSES)
  readonly #now: () => number
  #keysReadAt = Number.NEGATIVE_INFINITY
  #described: { readonly found: Promise<openid.Configuration>; until: number } | undefined

  /**
   * @param claims finds claims that ID tokens lack and that give rights
   * @param now monotonic clock in milliseconds
   */
  constructor(
    settings: LoginSettings,
    claims: Pick<ClaimRightsReader, 'absentClaims'>,
    now: () => number = () => performance.now(),
  ) {
    this.#settings = settings
    this.#claims = claims
    this.#now = now
  }

  /**
   * Returns the address at the institution to which a browser goes to log in.
   * @throws EngineError `unavailable` if the institution does not answer as it should, `busy`
   */
  async loginAddress({ state, nonce, verifier }: LoginSecrets): Promise<URL> {
    const challenge = await openid.calculatePKCECodeChallenge(verifier)
    return this.#ask(async (described) =>
      openid.buildAuthorizationUrl(described, {
        redirect_uri: `${this.#settings.publicUrl}${CALLBACK_PATH}`,
        scope: this.#settings.scopes,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }),
    )
  }

  /**
   * Exchanges the code with which the institution sent the browser back. The log-in is refused by the institution or
   * by a check of its answer.
   * @param client hash of the address that sent the code
   * @throws EngineError `unavailable` if the institution does not answer as it should, `busy`
   */
  async complete(given: LoginReturn, secrets: LoginSecrets, client: string): Promise<LoginResult> {
    const url = new URL(CALLBACK_PATH, this.#settings.publicUrl)
    for (const name of ['code', 'state', 'iss', 'error'] as const) {
      const value = given[name]
      if (value !== undefined) url.searchParams.set(name, value)
    }
    return this.#askFor(client, async (described) => {
      try {
        const answer = await openid.authorizationCodeGrant(described, url, {
          expectedState: secrets.state,
          expectedNonce: secrets.nonce,
          pkceCodeVerifier: secrets.verifier,
          idTokenExpected: true,
        })
        return await this.#personOf(answer, described)
      } catch (cause) {
        if (isUnknownKey(cause)) return this.#readKeysAnew() ? 'again' : 'refused'
        if (isRefusal(cause)) return 'refused'
        throw cause
      }
    })
  }

  /**
   * Returns the address at the institution at which a browser logs out there too, or undefined if it has none. It
   * is undefined as well if the institution cannot be reached.
   * @param state value with which the browser comes back to LOGGED_OUT_PATH
   */
  async logoutAddress(state: string): Promise<URL | undefined> {
    const { publicUrl } = this.#settings
    try {
      return await this.#ask(async (described) => {
        if (described.serverMetadata().end_session_endpoint === undefined) return undefined
        return openid.buildEndSessionUrl(described, {
          post_logout_redirect_uri: `${publicUrl}${LOGGED_OUT_PATH}`,
          state,
        })
      })
    } catch {
      // The session here has ended in any case.
      return undefined
    }
  }

  /**
   * Begins the log-in of a program on a device without a browser (RFC 8628).
   * @param client hash of the address of the program
   * @throws EngineError `not_supported` if the institution does not offer it, `unavailable`, `busy`
   */
  async beginDevice(client: string): Promise<DeviceLogin> {
    return this.#askFor(client, async (described) => {
      if (described.serverMetadata().device_authorization_endpoint === undefined) {
        const message =
          'the institution does not let devices log in; make a token on the page of your account'
        throw new EngineError('not_supported', message)
      }
      const answer = await openid.initiateDeviceAuthorization(described, {
        scope: this.#settings.scopes,
      })
      return {
        deviceCode: answer.device_code,
        userCode: answer.user_code,
        address: answer.verification_uri,
        completeAddress: answer.verification_uri_complete,
        expiresInSeconds: answer.expires_in,
        intervalSeconds: answer.interval ?? 5,
      }
    })
  }

  /**
   * Asks the institution once whether the person has logged the device in.
   * @param client hash of the address of the program
   * @throws EngineError `unavailable` if the institution does not answer as it should, `busy`
   */
  async pollDevice(deviceCode: string, client: string): Promise<DevicePoll> {
    return this.#askFor(client, async (described) => {
      try {
        const answer = await openid.genericGrantRequest(described, DEVICE_GRANT, {
          device_code: deviceCode,
        })
        return await this.#personOf(answer, described)
      } catch (cause) {
        const error = cause instanceof openid.ResponseBodyError ? cause.error : undefined
        if (error === 'authorization_pending') return 'pending'
        if (error === 'slow_down') return 'slow_down'
        // The code is spent, so the person has to begin again.
        if (isUnknownKey(cause)) this.#readKeysAnew()
        if (isRefusal(cause)) return 'refused'
        throw cause
      }
    })
  }

  /** Returns the person of an answer with an ID token. Asks for claims that give rights if the token lacks them. */
  async #personOf(
    answer: LoginAnswer,
    described: openid.Configuration,
  ): Promise<Person | 'refused'> {
    const person = personOf(answer.claims())
    if (!person) return 'refused'
    const absent = await this.#claims.absentClaims(person)
    if (absent.length === 0 || described.serverMetadata().userinfo_endpoint === undefined) {
      return person
    }
    const info = await userInfoOf(described, answer.access_token, person.subject)
    const names = new Set([...DISPLAYED, ...absent.flatMap((path) => [path, topOf(path)])])
    const added = Object.entries(info).filter(([name]) => names.has(name))
    // What is in the signed token counts.
    return { ...person, claims: { ...Object.fromEntries(added), ...person.claims } }
  }

  /** Lets the next log-in read the keys, at most once a minute. Returns whether it will. */
  #readKeysAnew(): boolean {
    const now = this.#now()
    if (now - this.#keysReadAt < KEYS_MS) return false
    this.#keysReadAt = now
    this.#described = undefined
    return true
  }

  /** Asks the institution for a client, unless the client asks too much. */
  async #askFor<Result>(
    client: string,
    work: (described: openid.Configuration) => Promise<Result>,
  ): Promise<Result> {
    const excess = this.#clients.excess(client, this.#now())
    if (excess) throw new EngineError('busy', BUSY, { retryAfterSeconds: excess.seconds ?? 1 })
    this.#clients.take(client, this.#now())
    try {
      return await this.#ask(work)
    } finally {
      this.#clients.giveBack(client, this.#now())
    }
  }

  async #ask<Result>(work: (described: openid.Configuration) => Promise<Result>): Promise<Result> {
    const leave = await this.#gate.enter()
    try {
      return await work(await this.#description())
    } catch (cause) {
      throw cause instanceof EngineError ? cause : unavailable(cause)
    } finally {
      leave()
    }
  }

  /** Returns the description of the institution, which is read at most once at a time. */
  #description(): Promise<openid.Configuration> {
    const now = this.#now()
    const known = this.#described
    if (known && now < known.until) return known.found
    const made = { found: this.#discover(), until: now + FRESH_MS }
    this.#described = made
    made.found.catch(() => {
      made.until = this.#now() + RETRY_MS
    })
    return made.found
  }

  #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings
    const place = new URL(issuer)
    return openid.discovery(place, clientId, undefined, openid.ClientSecretBasic(clientSecret), {
      [openid.customFetch]: boundedFetch,
      timeout: REQUEST_SECONDS,
      execute: [
        // Signatures are verified although the tokens come over TLS from the institution itself.
        openid.enableNonRepudiationChecks,
        ...(place.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
      ],
    })
  }
}

/** OAuth errors that say that this log-in is over. Others say that the service is set up wrongly or is down. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['access_denied', 'invalid_grant', 'expired_token', 'login_required', 'consent_required'],
  ...['interaction_required', 'account_selection_required', 'invalid_request'],
])
const UNKNOWN_KEY = 'OAUTH_KEY_SELECTION_FAILED'
/** Checks of openid-client whose failure says that this log-in is forged, late or of another browser. */
const FAILED_CHECKS: ReadonlySet<string> = new Set([
  ...['OAUTH_INVALID_RESPONSE', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
  ...['OAUTH_JWT_TIMESTAMP_CHECK_FAILED', UNKNOWN_KEY],
])

/** Returns whether a token is signed with a key that was not known when the keys were read. */
const isUnknownKey = (cause: unknown) =>
  cause instanceof openid.ClientError && cause.code === UNKNOWN_KEY

function isRefusal(cause: unknown): boolean {
  if (
    cause instanceof openid.ResponseBodyError ||
    cause instanceof openid.AuthorizationResponseError
  ) {
    return REFUSALS.has(cause.error)
  }
  return cause instanceof openid.ClientError && FAILED_CHECKS.has(cause.code ?? '')
}

type LoginAnswer = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers

/** Claims by which a person is shown. */
const DISPLAYED: readonly string[] = Object.freeze(['name', 'preferred_username', 'email'])

const topOf = (path: string): string => path.split('.', 1)[0] ?? path

/** Returns the claims at the institution's endpoint for them, or none if it does not give any for this token. */
async function userInfoOf(
  described: openid.Configuration,
  token: string,
  subject: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await openid.fetchUserInfo(described, token, subject)
  } catch (cause) {
    const isRefused =
      cause instanceof openid.WWWAuthenticateChallengeError ||
      cause instanceof openid.ResponseBodyError ||
      isBareRefusal(cause)
    // Claims that are not there give no rights.
    if (isRefused) return {}
    throw cause
  }
}

/** Returns whether an answer is a 401 or 403 without the header that OAuth requires, as some institutions send. */
function isBareRefusal(cause: unknown): boolean {
  const answer = cause instanceof openid.ClientError ? cause.cause : undefined
  return answer instanceof Response && (answer.status === 401 || answer.status === 403)
}

/** OpenID Connect allows 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/

function personOf(claims: openid.IDToken | undefined): Person | undefined {
  if (!claims || !SUBJECT.test(claims.sub)) return undefined
  return { issuer: claims.iss, subject: claims.sub, claims }
}

/** Creates the error for an institution that does not answer as it should. The cause may contain secrets. */
function unavailable(cause: unknown): EngineError {
  const code = cause instanceof openid.ClientError ? cause.code : undefined
  const error = cause instanceof openid.ResponseBodyError ? cause.error : undefined
  const said = code ?? error ?? (cause instanceof Error ? cause.name : 'unknown')
  const message =
    'the institution at which people log in does not answer as it should; try again in a moment'
  return new EngineError('unavailable', message, {
    cause: new Error(
      String(said)
        .replace(/[^\w .-]/g, '')
        .slice(0, 100),
    ),
    retryAfterSeconds: RETRY_MS / 1000,
  })
}
