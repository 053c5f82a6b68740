import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { EngineError } from '../errors.ts'

// Hex, so that the id neither holds the separator nor looks like an option on a command line.
const ID_BYTES = 8
/** 256 bits, 43 characters in base64url. */
const RANDOM_BYTES = 32
const ID = /^[0-9a-f]{16}$/
const SECRET = /^([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/
const USER_NAME = /^[^\p{Cc}\p{Cs}]{1,128}$/u

export interface MadeSecret {
  readonly id: string
  /** Shown once and kept nowhere. */
  readonly secret: string
  readonly sha256: Uint8Array
}

/**
 * A new secret, which begins with its id. Of it only the SHA-256 is stored: it has 256 random bits,
 * so a slow password hash would add nothing.
 */
export function makeSecret(): MadeSecret {
  const id = randomBytes(ID_BYTES).toString('hex')
  const secret = `${id}_${randomBytes(RANDOM_BYTES).toString('base64url')}`
  return { id, secret, sha256: sha256(secret) }
}

/** The id in a secret, or undefined for anything else, be it no text at all. */
export function idOfSecret(secret: unknown): string | undefined {
  return typeof secret === 'string' ? SECRET.exec(secret)?.[1] : undefined
}

/** Compares in a time that does not depend on how much of the secret is right. */
export function isSecretOf(stored: Uint8Array, secret: string): boolean {
  return timingSafeEqual(stored, sha256(secret))
}

/** An id for a message. A whole secret may have been given by mistake: only an id is repeated. */
export function shownId(id: string): string {
  return ID.test(id) ? `id ${id}` : 'the given id'
}

/** @throws EngineError `bad_input` */
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
