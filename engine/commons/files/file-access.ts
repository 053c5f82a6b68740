import { authorise, isOpenFile, mayKnow, mayRead, notStored } from '../../shared/access/access.ts'
import type { Tickets, TicketTerms } from '../../shared/access/tickets.ts'
import type { Principal, TokenStore } from '../../shared/access/tokens.ts'
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
import { arriving, type FoundFile, type Judging, Resolver } from './download/resolve.ts'

export interface FileAccessContext {
  readonly files: FileCatalogue
  readonly tokens: TokenStore
  readonly tickets: Tickets
  /** Left out, nothing else shares them. */
  readonly turns?: LoopTurns | undefined
  readonly current: CurrentRelease
  /** Ids of newer versions by those of the ids that have one. */
  readonly latestOf: Judging['latestOf']
  /** The project whose file has arrived under an id and waits to be checked. */
  readonly arriving: (id: string) => Promise<string | undefined>
}

/** Who asks: a token is looked up when something closed is asked for, and once. */
export interface Asker {
  /** An empty token is none. */
  readonly tokenGiven: boolean
  readonly principal: () => Promise<Principal | undefined>
}

/** A stored file that who asked may read. */
export interface ReadableFile {
  readonly stored: StoredFile
  /** Which release said so; absent where there is none. */
  readonly releaseId: string | undefined
}

/** The same, with what release and catalogue say of it. */
export interface FoundReadable extends ReadableFile {
  readonly file: FoundFile & { readonly stored: StoredFile }
}

/** What a file's name may be at most, and what is in none (blob-key.ts). */
const MAX_NAME_BYTES = 255
const UNSAFE = /[/\\\p{Cc}\p{Cs}]/u
/** Files of one name and one owner that are looked at. */
const MAX_NAMESAKES = 100

/** Finds files by their ids, and decides who may read them (data-commons.md 5.3, 11.4). */
export class FileAccess {
  /** Finds files; it remembers what the release says of the last ones. */
  readonly resolver: Resolver
  readonly latestOf: Judging['latestOf']
  readonly #context: FileAccessContext

  constructor(context: FileAccessContext) {
    this.#context = context
    this.latestOf = context.latestOf
    this.resolver = new Resolver(context.files.served, new Scratch(), context.turns)
  }

  /**
   * The stored file that may be read and can be sliced: the id exists, is a BAM or was imported as
   * another format that can be, may be read and is here, looked at in this order (data-commons.md 7).
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
   * The stored HDF5 file that may be read: the id exists, may be read, is in that format and is here, looked at in
   * this order. A file without a record may be one; its bytes will show.
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
   * A stored file that may be read, of whatever format: the id exists and was not superseded, may be
   * read and is here, looked at in this order.
   * @throws SupersededFile, EngineError not_found, unauthenticated, forbidden
   */
  file(fileId: string, token: string | undefined): Promise<FoundReadable> {
    return this.#file(fileId, this.asker(token))
  }

  /**
   * As `file`, for who holds a ticket to it.
   * @throws as file and holder
   */
  async held(fileId: string, ticket: string): Promise<FoundReadable & { terms: TicketTerms }> {
    const { asker, terms } = await this.holder(ticket, fileId.trim().toLowerCase())
    return { ...(await this.#file(fileId, asker)), terms }
  }

  #file(fileId: string, asker: Asker): Promise<FoundReadable> {
    return this.withRelease(async (release) => {
      const id = fileId.trim().toLowerCase()
      const [file] = await this.resolver.found([id], release, this.judging(asker))
      if (file?.kind !== 'file') {
        throw new EngineError('not_found', `no file has the id "${fileId.slice(0, 80)}"`)
      }
      await this.authorise([file], asker)
      const { stored } = file
      if (!stored) throw notStored(file.id)
      return { stored, file: { ...file, stored }, releaseId: release?.id }
    })
  }

  /**
   * As `file`, by an id or by a file's name. A name of several files means the one that may be read.
   * @throws as file; EngineError not_found also for a name that means several
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
   * Ids of files of that name: the only one there is, or else those that may be read. What no release tells of is
   * there for who may read it alone, so that nobody learns a name by guessing it, and what a project has yet to
   * release gives way to everything else.
   */
  async #meantBy(name: string, token: string | undefined): Promise<readonly string[]> {
    // No stored file has another name.
    if (Buffer.byteLength(name) > MAX_NAME_BYTES || UNSAFE.test(name)) return []
    const ids = await this.#context.files.named(name, MAX_NAMESAKES)
    return this.withRelease(async (release) => {
      const asker = this.asker(token)
      const files = [...(await this.resolver.files(ids, release)).values()]
      const former = files.filter(({ isReleased }) => !isReleased).map(({ id }) => id)
      const newer = release && former.length > 0 ? await this.latestOf(former) : new Map()
      const current = files.filter(({ id, stored }) => stored && !newer.has(id))
      const principal = current.every(isOpenFile) ? undefined : await asker.principal()
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
    /** What is told to who may read it alone. */
    mustFit: (file: FoundFile) => void = () => {},
  ): Promise<ReadableFile> {
    return this.withRelease(async (release) => {
      const asker = this.asker(token)
      const id = fileId.toLowerCase()
      const found = await this.resolver.file(id, release)
      if (!found && (await this.#isArriving(id, asker))) throw arriving(id)
      const file = accepted(found && (await this.isHidden(found, asker)) ? undefined : found)
      await this.authorise([file], asker)
      mustFit(file)
      if (!file.stored) throw notStored(file.id)
      return { stored: file.stored, releaseId: release?.id }
    })
  }

  /** Runs `act` with the release that guards come from; its damage is `unavailable`. */
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

  asker(token: string | undefined): Asker {
    const tokenGiven = token !== undefined && token !== ''
    let found: Promise<Principal | undefined> | undefined
    const verify = async () => (tokenGiven ? this.#context.tokens.verify(token) : undefined)
    return {
      tokenGiven,
      principal() {
        found ??= verify()
        return found
      },
    }
  }

  /**
   * Who holds a ticket: the bearer of the token that it names, with the rights of now.
   * @throws EngineError unauthenticated when it does not open that file, or has expired
   */
  async holder(ticket: string, fileId: string): Promise<{ asker: Asker; terms: TicketTerms }> {
    const { tickets, tokens } = this.#context
    const terms = await tickets.verify(ticket, fileId)
    if (!terms) {
      const message = 'Your ticket is invalid or expired. Please get a new ticket.'
      throw new EngineError('unauthenticated', message)
    }
    const { tokenId } = terms
    const principal = async () => (tokenId === undefined ? undefined : tokens.bearer(tokenId))
    return { asker: { tokenGiven: tokenId !== undefined, principal }, terms }
  }

  /** One file that may not be read fails them all. Open files never have the token looked at. */
  async authorise(files: readonly FoundFile[], asker: Asker): Promise<void> {
    const closed = files.filter((file) => !isOpenFile(file))
    if (closed.length === 0) return
    const principal = await asker.principal()
    for (const file of closed) authorise(file, principal, asker.tokenGiven)
  }

  /** How files are judged for who asks. */
  judging(asker: Asker): Judging {
    return {
      isHidden: (file) => this.isHidden(file, asker),
      latestOf: this.latestOf,
      isArriving: (id) => this.#isArriving(id, asker),
    }
  }

  /** Strangers are not told, and cost no look. */
  async #isArriving(id: string, asker: Asker): Promise<boolean> {
    const principal = asker.tokenGiven && isId(id) ? await asker.principal() : undefined
    if (!principal) return false
    const project = await this.#context.arriving(id)
    return project !== undefined && mayKnow(principal, project)
  }

  /** What a project has not released yet is not there for who has no right on the project. */
  async isHidden(file: FoundFile, asker: Asker): Promise<boolean> {
    if (isOpenFile(file)) return false
    const owner = await this.#projectOf(file)
    if (owner === undefined) return false
    const principal = await asker.principal()
    if (principal && mayKnow(principal, owner)) return false
    // A former version was released: its history names it.
    const { current, latestOf } = this.#context
    const newer = current.release && (await latestOf([file.id]))
    return !newer?.has(file.id)
  }

  /** The project that has stored a file and not released it. */
  async #projectOf(file: FoundFile): Promise<string | undefined> {
    if (file.isReleased) return undefined
    const owner = await this.#context.files.served.ownerOf(file.id)
    return owner === IMPORT ? undefined : owner
  }
}
