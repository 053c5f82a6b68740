import { isOpenFile, notStored } from '../../../shared/access/access.ts'
import { requireSigned, type TicketTerms } from '../../../shared/access/tickets.ts'
import { type BlobKey, blobKey } from '../../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import { Scratch } from '../../../shared/executor.ts'
import type { Integrity } from '../../../shared/integrity/integrity.ts'
import type { ByteSpan } from '../../../shared/streams/byte-span.ts'
import type { ByteStream } from '../../../shared/streams/byte-stream.ts'
import type { Release } from '../../release/release.ts'
import type { FileAccess } from '../file-access.ts'
import { annotationIdsOf } from '../records/file-annotations.ts'
import { CheckedReading } from './checked-reading.ts'
import {
  type BesideIndex,
  besideIndex,
  endsIn,
  type IndexEnding,
  noSuchIndex,
} from './file-index.ts'
import { gzipped } from './gzip.ts'
import { type ArchiveContents, MAX_FILES, membersOf } from './members.ts'
import { ReadBuffers } from './read-buffers.ts'
import type { FoundFile } from './resolve.ts'
import { openStored, requireUnchanged } from './stored-bytes.ts'
import { planTar, type TarPlan, TarReading } from './tar.ts'
import { type ByteReading, transfer } from './transfer.ts'

export interface DownloadRequest {
  /** Ids of files and annotations. Case, surrounding spaces and duplicates are ignored. */
  readonly ids: readonly string[]
  /** Secret of the client's access token. Not needed for open files. */
  readonly token: string | undefined
  /** Signed link, used instead of a token. Valid for one id, without an archive. */
  readonly ticket?: string | undefined
  /** Whether to return a tar, even for a single file. */
  readonly tarfile?: boolean | undefined
  /** Whether to return a tar.gz, even for a single file. */
  readonly compress?: boolean | undefined
  /** Whether to archive files together with their index and metadata files. */
  readonly relatedFiles?: boolean | undefined
  /** Whether to archive files together with texts of their annotations. */
  readonly annotations?: boolean | undefined
}

export interface IndexRequest {
  /** Id of the file that the index belongs to, in any case. */
  readonly id: string
  readonly ending: IndexEnding
  /** Secret of the client's access token. Not needed for open files. */
  readonly token: string | undefined
}

/** A download that has been found and permitted. Nothing is open yet. */
export interface Download {
  readonly kind: 'file' | 'tar' | 'tar.gz'
  /** Id of the release that contents and permissions come from. Undefined without a release. */
  readonly releaseId: string | undefined
  /** Name of a single file for the client's disk. */
  readonly fileName: string | undefined
  /** MD5 of a single file, in hex. */
  readonly md5: string | undefined
  /** Size in bytes. Undefined for a tar.gz, whose size is not known in advance. */
  readonly size: number | undefined
  /** Cache validator: equal downloads have the same bytes. Undefined for a tar.gz. */
  readonly fingerprint: string | undefined
  /** Time at which a file was stored. For an archive, the date of the release. */
  readonly modified: Date
  /** Whether the file can be read without a token. */
  readonly isOpen: boolean
  /** Ids of files that an archive lacks because their bytes are not stored here. */
  readonly omitted: readonly string[]
  /**
   * Opens the download. Problems with the files are thrown here. A later problem ends the body early. If the
   * whole download is read, the checksum of each file is verified before its last bytes are returned.
   * @param span range of bytes; requires a known size
   * @throws EngineError busy, unavailable, corrupt_source
   */
  open(span?: ByteSpan, run?: DownloadRun): Promise<ByteStream>
  /**
   * Returns the key of the file in the folder of stored files, so that a program such as nginx can send it. Its
   * size and time are checked, its checksum is not. Returns undefined if the bytes have to be checked or made
   * while they are sent (archives, object storage, bytes made on demand, linked files, files found damaged), and
   * if the file is missing.
   * @throws EngineError like open
   */
  place(): Promise<BlobKey | undefined>
}

export interface DownloadRun {
  readonly signal?: AbortSignal | undefined
}

interface DownloadContext {
  readonly blobs: BlobStores
  readonly access: FileAccess
  readonly integrity: Integrity
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
}

export interface DownloadLimits {
  /** Maximum number of concurrent downloads. */
  readonly openDownloads: number
}

const DEFAULT_LIMITS: DownloadLimits = { openDownloads: 1024 }
/** Maximum number of downloads with read-ahead. With more, memory matters more than speed. */
const MAX_AHEAD = 32

/** Downloads of files and archives, for users who may read them (data-commons.md 5, 11.4). */
export class Downloads {
  readonly #context: DownloadContext
  readonly #turns: LoopTurns
  readonly #limits: DownloadLimits
  readonly #scratch = new Scratch()
  readonly #buffers = new ReadBuffers()
  #active = 0
  #bytes = 0

  constructor(context: DownloadContext, limits: Partial<DownloadLimits> = {}) {
    this.#context = context
    this.#turns = context.turns ?? new LoopTurns()
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  /**
   * Finds the requested files and checks access. One id gives the file itself, several give an archive
   * (data-commons.md 5.1). Before this resolves, it checks that all ids are known, then that access is
   * permitted, then that the bytes are stored here.
   * @throws EngineError bad_input without an id, too_many, not_found naming the id, also if its bytes are not
   *   here; SupersededFile; unauthenticated, forbidden; corrupt_source
   */
  async download(request: DownloadRequest): Promise<Download> {
    const ids = normalised(request.ids)
    if (ids.length === 0) throw new EngineError('bad_input', 'no ids are given', { at: 'ids' })
    if (ids.length > MAX_FILES) {
      const message = `${ids.length} ids are given; request at most ${MAX_FILES} at a time`
      throw new EngineError('too_many', message, { at: 'ids' })
    }
    const { access } = this.#context
    return access.withRelease(async (release) => {
      const holder = request.ticket === undefined ? undefined : await this.#holder(request, ids)
      const caller = holder?.caller ?? access.callerOf(request.token)
      const found = await access.resolver.found(ids, release, access.visibilityFor(caller))
      const files = found.filter((one) => one.kind === 'file')
      const { tarfile, compress, relatedFiles, annotations } = request
      const related = relatedFiles ? await this.#relatedTo(files, release) : new Map()
      const all = [...files, ...related.values()]
      await access.authorise(all, caller, release)
      const [only] = files
      if (only && found.length === 1 && isPlain(request)) {
        return this.#file(only, release?.id, holder?.terms)
      }
      // An archive needs something to contain: an annotation, or a file whose bytes are stored here.
      const isHere = files.length < found.length || all.some(({ stored }) => stored)
      if (only && !isHere) throw notStored(only.id)
      const kind = tarfile && !compress ? 'tar' : 'tar.gz'
      const stored = files.filter((file) => file.stored)
      const contents = {
        found,
        related,
        annotations: annotations ? await this.#annotationsOf(stored, release) : new Map(),
      }
      return this.#archive(kind, contents, release)
    })
  }

  /**
   * Returns the index of a file. Programs request it at the address of the file plus the extension of the index.
   * An index stored beside the file has the file's access rules. An index that is a separate file has its own
   * rules.
   * @throws EngineError not_found for the id, also if it has no such index; SupersededFile; unauthenticated,
   *   forbidden
   */
  async index({ id, ending, token }: IndexRequest): Promise<Download> {
    const { access, blobs } = this.#context
    return access.withRelease(async (release) => {
      const caller = access.callerOf(token)
      const [file] = await access.resolver.found(
        normalised([id]),
        release,
        access.visibilityFor(caller),
      )
      if (file?.kind !== 'file') {
        throw new EngineError('not_found', `no file has the id "${id.slice(0, 80)}"`)
      }
      await access.authorise([file], caller, release)
      const { stored } = file
      const indexName = stored?.indexName
      if (stored && indexName && endsIn(indexName, ending)) {
        const found = await besideIndex(blobs, stored, indexName)
        if (!found) throw noSuchIndex(file, ending)
        return this.#beside(file, stored, { ...found, fileName: indexName, releaseId: release?.id })
      }
      const related = await this.#relatedTo([file], release)
      const listed = file.related.find(
        ({ id, group, fileName = '' }) =>
          group === 'index_files' && endsIn(fileName, ending) && related.get(id)?.stored,
      )
      const own = listed && related.get(listed.id)
      if (!own) throw noSuchIndex(file, ending)
      await access.authorise([own], caller, release)
      return this.#file(own, release?.id)
    })
  }

  #beside(
    file: FoundFile,
    { createdAt }: StoredFile,
    index: BesideIndex & Pick<Download, 'fileName' | 'releaseId'>,
  ): Download {
    const { open, ...described } = index
    return {
      kind: 'file',
      md5: undefined,
      ...described,
      modified: new Date(createdAt),
      isOpen: isOpenFile(file),
      omitted: [],
      open: (span = { start: 0, end: index.size }, run = {}) => this.#transfer(open, span, run),
      place: async () => undefined,
    }
  }

  async #relatedTo(files: readonly FoundFile[], release: Release | undefined) {
    const ids = [...new Set(files.flatMap(({ related }) => related.map(({ id }) => id)))]
    // The caller may see files with these ids. `authorise` checks the access rules of each file.
    const found = await this.#context.access.resolver.found(ids, release, {
      isHidden: async () => false,
      latestOf: async () => new Map(),
    })
    return new Map(found.flatMap((one) => (one.kind === 'file' ? [[one.id, one] as const] : [])))
  }

  async #annotationsOf(files: readonly FoundFile[], release: Release | undefined) {
    const ids = files.map(({ id }) => id)
    return release ? annotationIdsOf(ids, release, this.#scratch, this.#turns) : new Map()
  }

  /** Returns the user to whom a ticket was issued. A ticket is valid for one file and not for archives. */
  async #holder(request: DownloadRequest, ids: readonly string[]) {
    const [only = '', ...others] = ids
    if (others.length === 0 && isPlain(request)) {
      return this.#context.access.holder(request.ticket ?? '', only)
    }
    const message = 'a ticket opens one file as it is; use a token for archives'
    throw new EngineError('bad_input', message, { at: 'X-Ticket' })
  }

  /** @param terms terms of a ticket, which permit only the bytes that it was signed for */
  #file(file: FoundFile, releaseId: string | undefined, terms?: TicketTerms): Download {
    const { stored, fileName } = file
    if (!stored) throw notStored(file.id)
    const { size, md5, createdAt } = stored
    return {
      kind: 'file',
      releaseId,
      fileName,
      md5,
      size,
      fingerprint: md5,
      modified: new Date(createdAt),
      isOpen: isOpenFile(file),
      omitted: [],
      open: (span = { start: 0, end: size }, run = {}) =>
        this.#transfer(() => this.#opened(stored, isWhole(span, size), terms), span, run),
      place: () => this.#placeOf(stored, terms),
    }
  }

  async #placeOf(file: StoredFile, terms?: TicketTerms): Promise<BlobKey | undefined> {
    if (file.storage !== 'folder' || file.linkedModified !== null) return undefined
    const { blobs, integrity } = this.#context
    const key = blobKey(file.id, file.fileName)
    const identity = await blobs.folder.identity(key)
    if (identity === undefined || (await integrity.isKnownDamaged(file))) return undefined
    requireUnchanged(file, identity)
    requireSigned(terms, identity)
    return key
  }

  async #archive(
    kind: 'tar' | 'tar.gz',
    contents: ArchiveContents,
    release: Release | undefined,
  ): Promise<Download> {
    const { found, related } = contents
    const files = [...found.filter((one) => one.kind === 'file'), ...related.values()]
    const modified = timeOf(release, files)
    const turns = this.#turns
    const members = await membersOf(contents, release, { scratch: this.#scratch, turns })
    const plan = await planTar(members, modified, turns)
    const isTar = kind === 'tar'
    return {
      kind,
      releaseId: release?.id,
      modified,
      fileName: undefined,
      md5: undefined,
      size: isTar ? plan.size : undefined,
      fingerprint: isTar ? plan.fingerprint : undefined,
      isOpen: files.every(isOpenFile),
      omitted: [...new Set(files.flatMap(({ id, stored }) => (stored ? [] : [id])))],
      open: async (span = { start: 0, end: plan.size }, run = {}) => {
        const stream = await this.#transfer(() => this.#tarReading(plan, span), span, run)
        return isTar ? stream : gzipped(stream)
      },
      place: async () => undefined,
    }
  }

  async #tarReading(plan: TarPlan, span: ByteSpan): Promise<ByteReading> {
    const isChecked = isWhole(span, plan.size)
    return new TarReading(plan, (file) => this.#opened(file, isChecked), span.end)
  }

  async #opened(file: StoredFile, isChecked: boolean, terms?: TicketTerms): Promise<ByteReading> {
    const { blobs, integrity } = this.#context
    const blob = await openStored(blobs, file)
    try {
      requireSigned(terms, blob.identity)
    } catch (error) {
      await blob.close()
      throw error
    }
    return isChecked ? CheckedReading.of(blob, file, integrity) : blob
  }

  async #transfer(
    open: () => Promise<ByteReading>,
    span: ByteSpan,
    { signal }: DownloadRun,
  ): Promise<ByteStream> {
    signal?.throwIfAborted()
    if (this.#active >= this.#limits.openDownloads) {
      throw new EngineError('busy', 'too many downloads are under way; try again in a moment')
    }
    this.#active++
    try {
      const reading = await open()
      return transfer(reading, span, {
        buffers: this.#buffers,
        readsAhead: this.#active <= MAX_AHEAD,
        signal,
        onBytes: (bytes) => {
          this.#bytes += bytes
        },
        onEnd: () => {
          this.#active--
        },
      })
    } catch (error) {
      this.#active--
      throw error
    }
  }

  /** Returns the current load, for metrics. */
  load() {
    return {
      activeDownloads: this.#active,
      bytesDownloaded: this.#bytes,
      downloadBufferBytes: this.#buffers.bytes,
    }
  }
}

const isPlain = ({ tarfile, compress, relatedFiles, annotations }: DownloadRequest) =>
  !(tarfile || compress || relatedFiles || annotations)

/** Normalises ids to lower case and removes duplicates, keeping the order. */
export function normalised(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.trim().toLowerCase()))].filter((id) => id !== '')
}

const isWhole = ({ start, end }: ByteSpan, size: number) => start === 0 && end === size

/** Returns the modification time for all members. Taken from the release, so that archives are reproducible. */
function timeOf(release: Release | undefined, files: readonly FoundFile[]): Date {
  const date = release && new Date(`${release.manifest.version.releaseDate}T00:00:00Z`)
  if (date && Number.isFinite(date.getTime())) return date
  const times = files.map(({ stored }) => Date.parse(stored?.createdAt ?? '') || 0)
  const newest = times.reduce((latest, time) => Math.max(latest, time), 0)
  return new Date(Math.floor(newest / 1000) * 1000)
}
