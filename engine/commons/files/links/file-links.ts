import { isOpenFile, notStored } from '../../../shared/access/access.ts'
import { type Tickets, tokenIdOf } from '../../../shared/access/tickets.ts'
import { blobKey } from '../../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import { type FileIdentity, fingerprintOf } from '../../../shared/blobs/identity.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import type { FoundFile } from '../download/resolve.ts'
import { mustBeAsStored } from '../download/stored-bytes.ts'
import type { FileAccess } from '../file-access.ts'
import type { PresignedLinks, Presigning } from './presigned-links.ts'

/** How the bytes of one file are fetched for a while, by whoever may read it. */
export interface FileLink {
  readonly fileId: string
  /** What `/data` takes in place of a token; an open file needs none. */
  readonly ticket: string | undefined
  /** When the link ends; absent where it does not. */
  readonly expiresAt: Date | undefined
  /** Where object storage itself gives the bytes, as long as the link lasts; it cannot be recalled. */
  readonly presigned?: PresignedLink | undefined
}

/** An address of object storage, and the entity tag of the bytes that the link is for. */
export interface PresignedLink {
  readonly url: string
  /** With its quotes. */
  readonly entityTag: string
}

/** A file that somebody has shown to be theirs to read, by a token or because it is open. */
export interface LinkedFile {
  readonly file: FoundFile & { readonly stored: StoredFile }
  readonly token: string | undefined
}

export interface LinkOptions {
  /** The bytes that the link is for, where ranges of them were planned: no others are given. */
  readonly identity?: FileIdentity | undefined
  /** For who can fetch from another address, where that is allowed. */
  readonly mayPresign?: boolean | undefined
}

export interface FileLinksContext {
  readonly access: FileAccess
  readonly blobs: BlobStores
  readonly tickets: Tickets
  /** What object storage may give by addresses of its own; absent for nothing. */
  readonly presigned?: PresignedLinks | undefined
  readonly presigning: Presigning
}

/** Links to bytes of stored files, for clients that send no token to where bytes are (ADR 97). */
export class FileLinks {
  readonly #context: FileLinksContext

  constructor(context: FileLinksContext) {
    this.#context = context
  }

  /**
   * A link to a file by its id.
   * @throws SupersededFile, EngineError not_found, unauthenticated, forbidden, unavailable,
   *   corrupt_source
   */
  async of(id: string, token: string | undefined, options: LinkOptions = {}): Promise<FileLink> {
    const { file } = await this.#context.access.file(id, token)
    return this.linkTo({ file, token }, options)
  }

  /**
   * A link to a file whose right was looked at.
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
      // Of an open file nobody's token was looked at.
      tokenId: isOpen ? undefined : tokenIdOf(token),
    })
    return { fileId: id, ticket: text, expiresAt }
  }

  async #identityOf(stored: StoredFile): Promise<FileIdentity> {
    const store = this.#context.blobs.of(stored.storage)
    const identity = await store.identity(blobKey(stored.id, stored.fileName))
    if (!identity) throw notStored(stored.id)
    mustBeAsStored(stored, identity)
    return identity
  }
}
