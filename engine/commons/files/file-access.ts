import { authorise, isOpenFile, mayKnow, mayRead, notStored } from '../../shared/access/access.ts'
import type { Authenticator } from '../../shared/access/authenticator.ts'
import type { Principal } from '../../shared/access/principal.ts'
import type { Tickets, TicketTerms } from '../../shared/access/tickets.ts'
import type { Grants } from '../../shared/audit/grants.ts'
import { isId } from '../../shared/blobs/blob-key.ts'
import { IMPORT } from '../../shared/catalogue/file-owners.ts'
import {
  type FileCatalogue,
  SLICEABLE_FORMATS,
  type StoredFile,
} from '../../shared/catalogue/files.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { Scratch } from '../../shared/executor.ts'
import type { Release } from '../release/release.ts'
import type { CurrentRelease } from '../search/current-release.ts'
import { arriving, type FoundFile, Resolver, type Visibility } from './download/resolve.ts'

export interface FileAccessContext {
  readonly files: FileCatalogue
  readonly credentials: Authenticator
  readonly tickets: Tickets
  /** Learns of the controlled files that a caller may read. */
  readonly grants: Grants
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
  readonly current: CurrentRelease
  /** Returns the ids of newer versions, keyed by the former ids. */
  readonly latestOf: Visibility['latestOf']
  /** Returns the project that has uploaded a file with this id, if the file is not stored yet. */
  readonly arriving: (id: string) => Promise<string | undefined>
}

/** Who sent a request. The token is looked up only if a closed file is requested. */
export interface FileCaller {
  /** Whether a non-empty token was sent. */
  readonly tokenGiven: boolean
  readonly principal: () => Promise<Principal | undefined>
}

/** A stored file that the caller may read. */
interface ReadableFile {
  readonly stored: StoredFile
  /** Id of the release that the permission comes from. Undefined without a release. */
  readonly releaseId: string | undefined
}

/** A readable file with its properties from the release and the catalogue. */
interface FoundReadable extends ReadableFile {
  readonly file: FoundFile & { readonly stored: StoredFile }
}

/** Maximum length of a file name in bytes. UNSAFE has the characters that names cannot contain (blob-key.ts). */
const MAX_NAME_BYTES = 255
const UNSAFE = /[/\\\p{Cc}\p{Cs}]/u
/** Maximum number of files with the same name that are considered. */
const MAX_NAMESAKES = 100

/** Finds files by id and checks read access (data-commons.md 5.3, 11.4). */
export class FileAccess {
  /** Resolver, which caches the records of recent files. */
  readonly resolver: Resolver
  readonly latestOf: Visibility['latestOf']
  readonly #context: FileAccessContext

  constructor(context: FileAccessContext) {
    this.#context = context
    this.latestOf = context.latestOf
    this.resolver = new Resolver(context.files.served, new Scratch(), context.turns)
  }

  /**
   * Returns a stored file that can be sliced. Checks in this order: the id exists, the file is a BAM or was
   * imported in another sliceable format, access is permitted, and the bytes are here (data-commons.md 7).
   * @throws EngineError not_found, unauthenticated, forbidden
   */
  bam(fileId: string, token: string | undefined): Promise<ReadableFile> {
    return this.#readable(fileId, token, (file) => {
      const format = file?.stored ? file.stored.dataFormat : file?.dataFormat?.toUpperCase()
      if (file && SLICEABLE_FORMATS.some((one) => one === format)) return file
      throw new EngineError(
        'not_found',
        `no file that can be sliced has the id "${fileId.slice(0, 80)}"`,
      )
    })
  }

  /**
   * Returns a stored HDF5 file. Checks in this order: the id exists, access is permitted, the format is right,
   * and the bytes are here. A file without a record passes, since reading its bytes shows whether it is HDF5.
   * @throws EngineError not_found, bad_input for a file of another format, unauthenticated, forbidden
   */
  async hdf5(fileId: string, token: string | undefined): Promise<StoredFile> {
    const existing = (file: FoundFile | undefined) => {
      if (file) return file
      throw new EngineError('not_found', `no file has the id "${fileId.slice(0, 80)}"`)
    }
    const { stored } = await this.#readable(
      fileId,
      token,
      existing,
      ({ id, dataFormat = 'HDF5' }) => {
        if (dataFormat.toUpperCase() === 'HDF5') return
        const message = `file ${id} is in the format ${dataFormat}; give a file in HDF5 format`
        throw new EngineError('bad_input', message, { at: 'file_id' })
      },
    )
    return stored
  }

  /**
   * Returns a stored file of any format. Checks in this order: the id exists and is not superseded, access is
   * permitted, and the bytes are here.
   * @throws SupersededFile, EngineError not_found, unauthenticated, forbidden
   */
  file(fileId: string, token: string | undefined): Promise<FoundReadable> {
    return this.#file(fileId, this.callerOf(token))
  }

  /**
   * Returns a file like `file` does, for a ticket instead of a token.
   * @throws like file and holder
   */
  async held(fileId: string, ticket: string): Promise<FoundReadable & { terms: TicketTerms }> {
    const { caller, terms } = await this.holder(ticket, fileId.trim().toLowerCase())
    return { ...(await this.#file(fileId, caller)), terms }
  }

  #file(fileId: string, caller: FileCaller): Promise<FoundReadable> {
    return this.withRelease(async (release) => {
      const id = fileId.trim().toLowerCase()
      const [file] = await this.resolver.found([id], release, this.visibilityFor(caller))
      if (file?.kind !== 'file') {
        throw new EngineError('not_found', `no file has the id "${fileId.slice(0, 80)}"`)
      }
      await this.authorise([file], caller, release)
      const { stored } = file
      if (!stored) throw notStored(file.id)
      return { stored, file: { ...file, stored }, releaseId: release?.id }
    })
  }

  /**
   * Returns a file like `file` does, by id or by file name. If several files have the name, the only one that
   * the caller may read is returned.
   * @throws like file; EngineError not_found also for an ambiguous name
   */
  async named(name: string, token: string | undefined): Promise<FoundReadable> {
    const plain = name.trim()
    if (isId(plain.toLowerCase())) return this.file(plain, token)
    const meant = await this.#meantBy(plain, token)
    const [only, ...others] = meant
    const shown = JSON.stringify(plain.slice(0, 80))
    if (only === undefined)
      throw new EngineError('not_found', `no file has the id or name ${shown}`)
    if (others.length === 0) return this.file(only, token)
    throw new EngineError('not_found', `several files have the name ${shown}; give the id of one`)
  }

  /**
   * Returns the ids of the files with a name. If several files have the name, only those that the caller may
   * read. Files in no release are considered only if the caller may read them, so that names cannot be guessed.
   * Unreleased files of a project come last.
   */
  async #meantBy(name: string, token: string | undefined): Promise<readonly string[]> {
    // No stored file can have a name that is too long or has unsafe characters.
    if (Buffer.byteLength(name) > MAX_NAME_BYTES || UNSAFE.test(name)) return []
    const ids = await this.#context.files.named(name, MAX_NAMESAKES)
    return this.withRelease(async (release) => {
      const caller = this.callerOf(token)
      const files = [...(await this.resolver.files(ids, release)).values()]
      const former = files.filter(({ isReleased }) => !isReleased).map(({ id }) => id)
      const newer = release && former.length > 0 ? await this.latestOf(former) : new Map()
      const current = files.filter(({ id, stored }) => stored && !newer.has(id))
      const principal = current.every(isOpenFile) ? undefined : await caller.principal()
      const known = current.filter((file) => file.isReleased || mayRead(file, principal))
      const uploads = await Promise.all(known.map((file) => this.#projectOf(file)))
      const lasting = known.filter((_, i) => uploads[i] === undefined)
      const meant = lasting.length > 0 ? lasting : known
      const readable = meant.length < 2 ? meant : meant.filter((file) => mayRead(file, principal))
      return readable.map(({ id }) => id)
    })
  }

  async #readable(
    fileId: string,
    token: string | undefined,
    accepted: (file: FoundFile | undefined) => FoundFile,
    /** Throws if the file is unsuitable. Called only for files that the caller may read. */
    mustFit: (file: FoundFile) => void = () => {},
  ): Promise<ReadableFile> {
    return this.withRelease(async (release) => {
      const caller = this.callerOf(token)
      const id = fileId.toLowerCase()
      const found = await this.resolver.file(id, release)
      if (!found && (await this.#isArriving(id, caller))) throw arriving(id)
      const file = accepted(found && (await this.isHidden(found, caller)) ? undefined : found)
      await this.authorise([file], caller, release)
      mustFit(file)
      if (!file.stored) throw notStored(file.id)
      return { stored: file.stored, releaseId: release?.id }
    })
  }

  /** Calls `act` with the release that permissions come from. Throws `unavailable` if that release is damaged. */
  async withRelease<T>(act: (release: Release | undefined) => Promise<T>): Promise<T> {
    const lease = await this.#context.current.leaseForGuards()
    try {
      return await act(lease?.release)
    } catch (error) {
      throw lease ? lease.errorOf(error) : error
    } finally {
      lease?.end()
    }
  }

  callerOf(token: string | undefined): FileCaller {
    const tokenGiven = token !== undefined && token !== ''
    let found: Promise<Principal | undefined> | undefined
    const verify = async () => (tokenGiven ? this.#context.credentials.verify(token) : undefined)
    return {
      tokenGiven,
      principal() {
        found ??= verify()
        return found
      },
    }
  }

  /**
   * Returns the holder of a ticket: the owner of the credential in it, with its current rights.
   * @throws EngineError unauthenticated if it is not for that file or has expired
   */
  async holder(
    ticket: string,
    fileId: string,
  ): Promise<{ caller: FileCaller; terms: TicketTerms }> {
    const { tickets, credentials } = this.#context
    const terms = await tickets.verify(ticket, fileId)
    if (!terms) {
      const message = 'Your ticket is invalid or expired. Please get a new ticket.'
      throw new EngineError('unauthenticated', message)
    }
    const { credential } = terms
    const principal = async () => credential && credentials.bearer(credential)
    return { caller: { tokenGiven: credential !== undefined, principal }, terms }
  }

  /**
   * Checks that the caller may read all files. The token is looked up only if one of the files is controlled. The
   * controlled files whose bytes are stored are noted as granted.
   * @param release the release that the permissions come from
   * @throws EngineError unauthenticated, forbidden
   */
  async authorise(
    files: readonly FoundFile[],
    caller: FileCaller,
    release: Pick<Release, 'id'> | undefined,
  ): Promise<void> {
    const closed = files.filter((file) => !isOpenFile(file))
    if (closed.length === 0) return
    const principal = await caller.principal()
    for (const file of closed) authorise(file, principal, caller.tokenGiven)
    const stored = closed.filter((file) => file.stored).map(({ id }) => id)
    if (stored.length === 0) return
    this.#context.grants.add({ principal, files: stored, release: release?.id })
  }

  /** Returns the rules for which files the caller may know of. */
  visibilityFor(caller: FileCaller): Visibility {
    return {
      isHidden: (file) => this.isHidden(file, caller),
      latestOf: this.latestOf,
      isArriving: (id) => this.#isArriving(id, caller),
    }
  }

  /** Returns whether the caller may know of an uploaded file that is not stored yet. Never if anonymous. */
  async #isArriving(id: string, caller: FileCaller): Promise<boolean> {
    const principal = caller.tokenGiven && isId(id) ? await caller.principal() : undefined
    if (!principal) return false
    const project = await this.#context.arriving(id)
    return project !== undefined && mayKnow(principal, project)
  }

  /** Returns whether to hide that a file exists. An unreleased file is visible only with rights on its project. */
  async isHidden(file: FoundFile, caller: FileCaller): Promise<boolean> {
    if (isOpenFile(file)) return false
    const owner = await this.#projectOf(file)
    if (owner === undefined) return false
    const principal = await caller.principal()
    if (principal && mayKnow(principal, owner)) return false
    // If a former version was released, its history already shows this id, so the file is visible.
    const { current, latestOf } = this.#context
    const newer = current.release && (await latestOf([file.id]))
    return !newer?.has(file.id)
  }

  /** Returns the project that has stored but not released a file. */
  async #projectOf(file: FoundFile): Promise<string | undefined> {
    if (file.isReleased) return undefined
    const owner = await this.#context.files.served.ownerOf(file.id)
    return owner === IMPORT ? undefined : owner
  }
}
