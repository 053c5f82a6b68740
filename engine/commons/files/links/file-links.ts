import { isOpenFile, notStored } from '../../../shared/access/access.ts'
import type { Authenticator } from '../../../shared/access/authenticator.ts'
import type { Tickets } from '../../../shared/access/tickets.ts'
import { blobKey } from '../../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import { type FileIdentity, fingerprintOf } from '../../../shared/blobs/identity.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import type { FoundFile } from '../download/resolve.ts'
import { requireUnchanged } from '../download/stored-bytes.ts'
import type { FileAccess } from '../file-access.ts'
import type { PresignedLinks, Presigning } from './presigned-links.ts'

/** Temporary access to the bytes of one file. */
export interface FileLink {
  readonly fileId: string
  /** Ticket that `/data` accepts instead of a token. Undefined for an open file. */
  readonly ticket: string | undefined
  /** Time at which the link expires. Undefined if it never expires. */
  readonly expiresAt: Date | undefined
  /** Address at which object storage serves the bytes. It works until the link expires and cannot be revoked. */
  readonly presigned?: PresignedLink | undefined
}

/** Address in object storage, and the entity tag of the bytes that the link is for. */
export interface PresignedLink {
  readonly url: string
  /** Entity tag, including its quotes. */
  readonly entityTag: string
}

/** A file that the caller may read, either with a token or because the file is open. */
interface LinkedFile {
  readonly file: FoundFile & { readonly stored: StoredFile }
  readonly token: string | undefined
}

export interface LinkOptions {
  /** Identity of the bytes that the link is for. Set if the client has been given byte ranges of the file. */
  readonly identity?: FileIdentity | undefined
  /** Whether the client can fetch from another host, so that presigned addresses may be used. */
  readonly mayPresign?: boolean | undefined
}

interface FileLinksContext {
  readonly access: FileAccess
  readonly credentials: Pick<Authenticator, 'lend'>
  readonly blobs: BlobStores
  readonly tickets: Tickets
  /** Makes presigned addresses of object storage. Absent if there is no object storage. */
  readonly presigned?: PresignedLinks | undefined
  readonly presigning: Presigning
}

/** Links to bytes of stored files, for clients that do not send their token to the host of the bytes (ADR 97). */
export class FileLinks {
  readonly #context: FileLinksContext

  constructor(context: FileLinksContext) {
    this.#context = context
  }

  /**
   * Returns a link to a file by id.
   * @throws SupersededFile, EngineError not_found, unauthenticated, forbidden, unavailable, corrupt_source
   */
  async of(id: string, token: string | undefined, options: LinkOptions = {}): Promise<FileLink> {
    const { file } = await this.#context.access.file(id, token)
    return this.linkTo({ file, token }, options)
  }

  /**
   * Returns a link to a file whose access has been checked.
   * @throws EngineError unavailable, corrupt_source
   * @internal
   */
  async linkTo(
    { file, token }: LinkedFile,
    { identity, mayPresign = false }: LinkOptions = {},
  ): Promise<FileLink> {
    const { id, stored } = file
    const { presigned, presigning } = this.#context
    const isOpen = isOpenFile(file)
    const isPresigned = isOpen ? presigning.open : presigning.controlled
    if (mayPresign && isPresigned && presigned && stored.storage === 's3') {
      const { inode: entityTag } = identity ?? (await this.#identityOf(stored))
      const { url, expiresAt } = await presigned.of(blobKey(stored.id, stored.fileName))
      return { fileId: id, ticket: undefined, expiresAt, presigned: { url, entityTag } }
    }
    if (isOpen && !identity) return { fileId: id, ticket: undefined, expiresAt: undefined }
    const now = identity ?? (await this.#identityOf(stored))
    const { text, expiresAt } = await this.#context.tickets.sign({
      fileId: id,
      fingerprint: fingerprintOf(now),
      // For an open file, the token has not been verified, so the link does not contain it.
      credential: isOpen || !token ? undefined : await this.#context.credentials.lend(token),
    })
    return { fileId: id, ticket: text, expiresAt }
  }

  async #identityOf(stored: StoredFile): Promise<FileIdentity> {
    const store = this.#context.blobs.of(stored.storage)
    const identity = await store.identity(blobKey(stored.id, stored.fileName))
    if (!identity) throw notStored(stored.id)
    requireUnchanged(stored, identity)
    return identity
  }
}
