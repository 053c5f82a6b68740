import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { EngineError } from '../errors.ts'

// The id is hex: it never contains the "_" separator and never starts with "-", which would read as an
// option.
const ID_BYTES = 8
/** 256 bits are 43 characters of base64url. */
const RANDOM_BYTES = 32
const ID = /^[0-9a-f]{16}$/
const SECRET = /^([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/
const PREFIXED = /^(cms|cmp)_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/
const USER_NAME = /^[^\p{Cc}\p{Cs}]{1,128}$/u

/**
 * Prefix of the secrets of people: `cms` of a session, `cmp` of a personal token. Secrets of the operator's tokens
 * and keys have none.
 */
type SecretPrefix = 'cms' | 'cmp'

interface MadeSecret {
  readonly id: string
  /** The full secret. It is shown to the user once and never stored. */
  readonly secret: string
  readonly sha256: Uint8Array
}

/**
 * Creates a secret that starts with its id. Only its SHA-256 is stored: the secret has 256 random bits, so a
 * slow password hash would add nothing.
 */
export function makeSecret(prefix?: SecretPrefix): MadeSecret {
  const id = randomBytes(ID_BYTES).toString('hex')
  const secret = `${prefix === undefined ? '' : `${prefix}_`}${id}_${randomBytes(RANDOM_BYTES).toString('base64url')}`
  return { id, secret, sha256: sha256(secret) }
}

/** Returns the id in a secret, or undefined if the value is not a well-formed secret. */
export function idOfSecret(secret: unknown): string | undefined {
  return typeof secret === 'string' ? SECRET.exec(secret)?.[1] : undefined
}

/** Returns the id in a secret with this prefix, or undefined if the value is not a well-formed one. */
export function idOfPrefixed(secret: unknown, prefix: SecretPrefix): string | undefined {
  const found = typeof secret === 'string' ? PREFIXED.exec(secret) : null
  return found?.[1] === prefix ? found[2] : undefined
}

/** Compares a secret with its stored hash in constant time. */
export function isSecretOf(stored: Uint8Array, secret: string): boolean {
  return timingSafeEqual(stored, sha256(secret))
}

/** Formats an id for a message. The user may have given the secret by mistake, so only a valid id is repeated. */
export function shownId(id: string): string {
  return ID.test(id) ? `id ${id}` : 'the given id'
}

/**
 * Checks a user name.
 * @throws EngineError `bad_input` if it is not 1 to 128 characters without control characters and outer
 *   spaces
 */
export function checkUser(user: string): void {
  if (USER_NAME.test(user) && user.trim() === user) return
  throw new EngineError(
    'bad_input',
    `user name ${JSON.stringify(user)} is not usable; use 1 to 128 characters without control characters and outer spaces`,
    { at: 'user' },
  )
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}
