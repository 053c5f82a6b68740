import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type FileIdentity, fingerprintOf } from '../blobs/identity.ts'
import type { Database } from '../database/database.ts'
import { EngineError } from '../errors.ts'
import { idOfSecret } from './secrets.ts'

/** Contents of a ticket: the file that it opens, and for whom. */
export interface TicketTerms {
  /** File id in lower case. */
  readonly fileId: string
  /** Fingerprint of the stored bytes (see fingerprintOf). The ticket is not valid for other bytes. */
  readonly fingerprint: string
  /** Id of the token that the ticket was issued for, or undefined for an open file. */
  readonly tokenId: string | undefined
}

interface SignedTicket {
  /** Printable text of about 100 characters. It is a credential, so keep it out of logs. */
  readonly text: string
  readonly expiresAt: Date
}

/** Lifetime of a ticket in seconds. */
const TICKET_SECONDS = 900

const PURPOSE = 'tickets'
const KEY_BYTES = 32
const EXPIRY_BYTES = 4
const TOKEN_BYTES = 8
const FINGERPRINT = /^[\w-]{22}$/
const FORM = /^[\w-]{20,}$/
/** A ticket encodes the time of expiry, the token id and the fingerprint, in this order. */
const TERMS_BYTES = EXPIRY_BYTES + TOKEN_BYTES + 16
const NOBODY = '0'.repeat(2 * TOKEN_BYTES)

/**
 * Issues and verifies signed links. A link opens one file for the bearer of one token until it expires. Read
 * access is checked again when the link is used. Nodes with shared state share the signing key.
 */
export class Tickets {
  readonly #database: Database
  readonly #clock: () => Date
  #key: Promise<Uint8Array> | undefined

  constructor(database: Database, clock: () => Date) {
    this.#database = database
    this.#clock = clock
  }

  /**
   * Signs a ticket. The caller must have checked read access to the file.
   * @throws EngineError `unavailable` if the database does not answer
   */
  async sign({ fileId, fingerprint, tokenId }: TicketTerms): Promise<SignedTicket> {
    if (!FINGERPRINT.test(fingerprint)) throw new Error('a fingerprint is 16 bytes in base64url')
    const seconds = Math.floor(this.#clock().getTime() / 1000) + TICKET_SECONDS
    const expiry = Buffer.alloc(EXPIRY_BYTES)
    expiry.writeUInt32BE(seconds)
    const terms = Buffer.concat([
      expiry,
      Buffer.from(tokenId ?? NOBODY, 'hex'),
      Buffer.from(fingerprint, 'base64url'),
    ])
    const text = Buffer.concat([terms, await this.#mac(terms, fileId)]).toString('base64url')
    return Object.freeze({ text, expiresAt: new Date(seconds * 1000) })
  }

  /**
   * Returns the terms of a ticket. Returns undefined if its signature is invalid, if it is for another file, or
   * if it has expired. Accepts any text.
   * @throws EngineError `unavailable` if the database does not answer
   */
  async verify(text: string, fileId: string): Promise<TicketTerms | undefined> {
    const bytes = FORM.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0)
    if (bytes.length !== TERMS_BYTES + KEY_BYTES) return undefined
    const terms = bytes.subarray(0, TERMS_BYTES)
    const mac = await this.#mac(terms, fileId)
    if (!timingSafeEqual(mac, bytes.subarray(TERMS_BYTES))) return undefined
    if (terms.readUInt32BE() * 1000 <= this.#clock().getTime()) return undefined
    const tokenId = terms.toString('hex', EXPIRY_BYTES, EXPIRY_BYTES + TOKEN_BYTES)
    const fingerprint = terms.toString('base64url', EXPIRY_BYTES + TOKEN_BYTES)
    return { fileId, fingerprint, tokenId: tokenId === NOBODY ? undefined : tokenId }
  }

  async #mac(terms: Uint8Array, fileId: string): Promise<Buffer> {
    this.#key ??= this.#readKey()
    const key = await this.#key.catch((error: unknown) => {
      this.#key = undefined
      throw error
    })
    return createHmac('sha256', key).update(terms).update(fileId).digest()
  }

  /** Reads the signing key that all nodes share. The first node creates it. */
  async #readKey(): Promise<Uint8Array> {
    const select = 'SELECT signing_key FROM signing_keys WHERE purpose = ?'
    const ask = async () =>
      (await this.#database.ask<{ readonly signing_key: Uint8Array }>(select, [PURPOSE]))[0]
    const known = await ask()
    if (known) return known.signing_key
    const insert = `INSERT INTO signing_keys (purpose, signing_key, created_at) VALUES (?, ?, ?)
      ON CONFLICT (purpose) DO NOTHING`
    const row = [PURPOSE, randomBytes(KEY_BYTES), this.#clock().toISOString()]
    await this.#database.write((transaction) => transaction.run(insert, row))
    const made = await ask()
    if (made) return made.signing_key
    throw new EngineError('unavailable', 'the key of tickets cannot be read; try again in a moment')
  }
}

/**
 * Throws if the stored bytes are not those for which the ticket was signed. Does nothing if there is no ticket.
 * @throws EngineError `precondition_failed`
 */
export function requireSigned(terms: TicketTerms | undefined, identity: FileIdentity): void {
  if (!terms || terms.fingerprint === fingerprintOf(identity)) return
  const message = `file ${terms.fileId} has other bytes by now; request a new ticket`
  throw new EngineError('precondition_failed', message)
}

/** Returns the id of the token that a ticket is issued for. */
export const tokenIdOf = (token: string | undefined): string | undefined => idOfSecret(token)
