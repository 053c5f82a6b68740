import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type FileIdentity, fingerprintOf } from '../blobs/identity.ts'
import type { Database } from '../database/database.ts'
import { EngineError } from '../errors.ts'
import type { Credential, CredentialKind } from './principal.ts'

/** Contents of a ticket: the file that it opens, and for whom. */
export interface TicketTerms {
  /** File id in lower case. */
  readonly fileId: string
  /** Fingerprint of the stored bytes (see fingerprintOf). The ticket is not valid for other bytes. */
  readonly fingerprint: string
  /** Credential that the ticket was issued for, or undefined for an open file. */
  readonly credential: Credential | undefined
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
const FINGERPRINT = /^[\w-]{22}$/
const FORM = /^[\w-]{20,}$/
const FINGERPRINT_BYTES = 16

/** How the terms of a ticket are encoded: the time of expiry, the id, and the fingerprint, in this order. */
interface TermsForm {
  readonly kind: CredentialKind
  readonly idBytes: number
  /** Zero bytes before the id, so that the size of a ticket tells the kind. */
  readonly padding: number
  /**
   * Text at the end of the signed bytes. It starts with a character that no file id contains, so that the signed
   * bytes of two forms are never equal.
   */
  readonly mark: string
}
const FORMS: readonly TermsForm[] = Object.freeze([
  { kind: 'token', idBytes: 8, padding: 0, mark: '' },
  { kind: 'session', idBytes: 8, padding: 1, mark: '\0session' },
  { kind: 'jwt', idBytes: 16, padding: 0, mark: '\0jwt' },
])
/** Credential in a ticket for an open file. */
const NOBODY: Credential = Object.freeze({ kind: 'token', id: '0'.repeat(16) })

const idEnd = ({ padding, idBytes }: TermsForm) => EXPIRY_BYTES + padding + idBytes
const sizeOf = (form: TermsForm) => idEnd(form) + FINGERPRINT_BYTES

/**
 * Issues and verifies signed links. A link opens one file for the bearer of one credential until it expires. Read
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
  async sign({ fileId, fingerprint, credential }: TicketTerms): Promise<SignedTicket> {
    if (!FINGERPRINT.test(fingerprint)) throw new Error('a fingerprint is 16 bytes in base64url')
    const seconds = Math.floor(this.#clock().getTime() / 1000) + TICKET_SECONDS
    const expiry = Buffer.alloc(EXPIRY_BYTES)
    expiry.writeUInt32BE(seconds)
    const { kind, id } = credential ?? NOBODY
    const form = FORMS.find((one) => one.kind === kind)
    if (!form || id.length !== 2 * form.idBytes) throw new Error(`a ${kind} has another id`)
    const terms = Buffer.concat([
      expiry,
      Buffer.alloc(form.padding),
      Buffer.from(id, 'hex'),
      Buffer.from(fingerprint, 'base64url'),
    ])
    const mac = await this.#mac(terms, fileId, form)
    const text = Buffer.concat([terms, mac]).toString('base64url')
    return Object.freeze({ text, expiresAt: new Date(seconds * 1000) })
  }

  /**
   * Returns the terms of a ticket. Returns undefined if its signature is invalid, if it is for another file, or
   * if it has expired. Accepts any text.
   * @throws EngineError `unavailable` if the database does not answer
   */
  async verify(text: string, fileId: string): Promise<TicketTerms | undefined> {
    const bytes = FORM.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0)
    const form = FORMS.find((one) => bytes.length === sizeOf(one) + KEY_BYTES)
    if (!form) return undefined
    const terms = bytes.subarray(0, sizeOf(form))
    const mac = await this.#mac(terms, fileId, form)
    if (!timingSafeEqual(mac, bytes.subarray(sizeOf(form)))) return undefined
    if (terms.readUInt32BE() * 1000 <= this.#clock().getTime()) return undefined
    const id = terms.toString('hex', EXPIRY_BYTES + form.padding, idEnd(form))
    const fingerprint = terms.toString('base64url', idEnd(form))
    const isNobody = form.kind === NOBODY.kind && id === NOBODY.id
    return { fileId, fingerprint, credential: isNobody ? undefined : { kind: form.kind, id } }
  }

  async #mac(terms: Uint8Array, fileId: string, { mark }: TermsForm): Promise<Buffer> {
    this.#key ??= this.#readKey()
    const key = await this.#key.catch((error: unknown) => {
      this.#key = undefined
      throw error
    })
    return createHmac('sha256', key).update(terms).update(fileId).update(mark).digest()
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
