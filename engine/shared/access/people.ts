import { touch } from '../concurrency/lru-cache.ts'
import type { Database, Transaction } from '../database/database.ts'
import { notify } from '../database/news.ts'
import { EngineError } from '../errors.ts'
import type { Unknowns } from '../input/unknowns.ts'
import { type ClaimRights, type ClaimRightsReader, userOf } from './claims/claim-rights.ts'

/** A person whom an institution has authenticated. */
export interface Person {
  /** URL of the issuer, exactly as in the claim `iss`. */
  readonly issuer: string
  /** Claim `sub`. Unique at the issuer. */
  readonly subject: string
  /** Verified claims. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** Finds the rights of an identity, as ClaimRightsReader does. */
export type PersonRights = Pick<ClaimRightsReader, 'rightsOf'>

/** The columns of a person. */
export interface PersonRow {
  readonly user_name: string
  readonly issuer: string
  readonly subject: string
  readonly claims: string
}

/** Columns that select a PersonRow from `people p`. */
export const PERSON_COLUMNS = 'p.user_name, p.issuer, p.subject, p.claims'

/** Maximum size of stored claims in bytes. */
const CLAIM_BYTES = 32 << 10
/** Maximum number of people whose parsed claims are remembered. */
const MAX_PARSED = 200
const DISPLAY_NAME = /^[^\p{Cc}\p{Cs}]{1,128}$/u

/** Claims about the token itself. They are not stored, because they say nothing about the person. */
const TOKEN_CLAIMS: ReadonlySet<string> = new Set([
  ...['exp', 'iat', 'nbf', 'jti', 'nonce', 'sid', 'auth_time', 'at_hash', 'c_hash', 's_hash'],
])

/**
 * Stores the claims of a log-in and returns the name of the user. Other sessions and tokens of the person have the
 * new rights at once.
 * @throws EngineError `too_large` for more than 32 KiB of claims
 */
export async function recordPerson(
  transaction: Transaction,
  dialect: Database['dialect'],
  person: Person & { readonly now: string },
): Promise<string> {
  const { issuer, subject, claims, now } = person
  const isKept = ([name]: readonly [string, unknown]) => !TOKEN_CLAIMS.has(name)
  // Sorted, so that equal claims give equal text.
  const kept = Object.entries(claims)
    .filter(isKept)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify(Object.fromEntries(kept))
  if (Buffer.byteLength(text) > CLAIM_BYTES) {
    const message = `the issuer sent more than ${CLAIM_BYTES} bytes of claims; let it send fewer groups or roles to this client`
    throw new EngineError('too_large', message)
  }
  const user = userOf(person)
  await transaction.run(
    `INSERT INTO people (user_name, issuer, subject, display_name, claims, seen_at)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (user_name) DO UPDATE SET display_name = excluded.display_name,
        claims = excluded.claims, seen_at = excluded.seen_at`,
    [user, issuer, subject, displayName(claims), text, now],
  )
  await notify(transaction, dialect, { topic: 'tokens' })
  return user
}

/** Finds the rights of people by their stored claims. */
export class PeopleReader {
  readonly #rights: PersonRights
  /** Parsed claims by their text. The rights of a claims object are remembered for as long as it is. */
  readonly #parsed = new Map<string, Unknowns>()

  constructor(rights: PersonRights) {
    this.#rights = rights
  }

  /**
   * Returns the rights of a person now, or undefined if the person or the credential is revoked.
   * @param id id of the session or token, by which it can be revoked
   * @throws EngineError `unavailable` if the database does not answer
   */
  async rightsOf(
    { issuer, subject, claims: text }: PersonRow,
    id: string,
  ): Promise<Omit<ClaimRights, 'registry'> | undefined> {
    const claims = this.#parsed.get(text) ?? (JSON.parse(text) as Unknowns)
    touch(this.#parsed, text, claims, MAX_PARSED)
    return this.#rights.rightsOf({ issuer, subject, tokenNames: [id], claims })
  }
}

/** Returns a name for display. It is not unique, and the person may have chosen it. */
function displayName(claims: Unknowns): string | null {
  for (const name of ['name', 'preferred_username', 'email']) {
    const value = claims[name]
    if (typeof value === 'string' && DISPLAY_NAME.test(value)) return value
  }
  return null
}
