import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type FileIdentity, fingerprintOf } from '../blobs/identity.ts'
import type { Database } from '../database/database.ts'
import { EngineError } from '../errors.ts'
import { idOfSecret } from './secrets.ts'

/** What a ticket opens, and to whom. */
export interface TicketTerms {
  /** The file, lower case. */
  readonly fileId: string
  /** Of the state of its bytes: see fingerprintOf. Other bytes are not given for the ticket. */
  readonly fingerprint: string
  /** Id of the token whose bearer it is for; left out of an open file. */
  readonly tokenId: string | undefined
}

export interface SignedTicket {
  /** Printable, about 100 characters; to be kept out of logs as a token is. */
  readonly text: string
  readonly expiresAt: Date
}

/** The longest that a ticket opens its file. */
export const TICKET_SECONDS = 900

const PURPOSE = 'tickets'
const KEY_BYTES = 32
const EXPIRY_BYTES = 4
const TOKEN_BYTES = 8
const FINGERPRINT = /^[\w-]{22}$/
const FORM = /^[\w-]{20,}$/
/** Expiry, token, fingerprint. */
const TERMS_BYTES = EXPIRY_BYTES + TOKEN_BYTES + 16
const NOBODY = '0'.repeat(2 * TOKEN_BYTES)

/**
 * Signed links: each opens one file to one bearer of a token until it expires. Whether that bearer may
 * read the file is asked when it is used, as with the token itself. Nodes that share state share the key.
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
   * Signs for whoever has shown that the file is theirs to read.
   * @throws EngineError unavailable when the database does not answer
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
   * What a ticket says, if it was signed here for that file and has not expired. Takes any text.
   * @throws EngineError unavailable when the database does not answer
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

  /** The key of all nodes; whoever comes first makes it. */
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
 * Looks that stored bytes are those that a ticket was signed for; without a ticket any are.
 * @throws EngineError precondition_failed
 */
export function mustBeAsSigned(terms: TicketTerms | undefined, identity: FileIdentity): void {
  if (!terms || terms.fingerprint === fingerprintOf(identity)) return
  const message = `file ${terms.fileId} has other bytes by now; ask for a new ticket`
  throw new EngineError('precondition_failed', message)
}

/** Whom a ticket is for: the token that was shown. */
export const tokenIdOf = (token: string | undefined): string | undefined => idOfSecret(token)
