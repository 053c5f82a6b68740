import { createHash, randomUUID } from 'node:crypto'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import type { ObjectStore } from '../../shared/blobs/object-store.ts'
import type { FileCatalogue } from '../../shared/catalogue/files.ts'
import { Gate } from '../../shared/concurrency/gate.ts'
import type { Database, Rows } from '../../shared/database/database.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import {
  projectNamed,
  requirePrincipal,
  requireRoles,
  type SubmissionCaller,
} from '../transactions/permissions.ts'
import { entitiesById } from '../transactions/store/entities.ts'
import {
  admitFile,
  admitUpload,
  type FileRequest,
  type FileUploadRequest,
  requireFileName,
  requireFree,
} from './admission.ts'
import { BucketUploads } from './bucket-uploads.ts'
import type { FileAction } from './file-actions.ts'
import { FolderUploads } from './folder-uploads.ts'
import { OwnFiles } from './own-files.ts'
import { checkPartList, type ListedPart, MAX_PARTS } from './part-list.ts'
import { readPartListJob, requireListSize } from './read-part-list.ts'
import type { ArrivingBody } from './receive.ts'
import { submissionManifest } from './submission-manifest.ts'
import { type ArrivedBytes, newPartName, type UploadBytes, WHOLE } from './upload-bytes.ts'
import { changeFileState, completeUpload, dropUpload } from './upload-changes.ts'
import { type OpenNew, UploadFolder } from './upload-folder.ts'
import { judgeManifestJob, type ManifestVerdict, requireManifestSize } from './upload-manifest.ts'
import { UploadPlaces } from './upload-places.ts'
import { UploadProcessor } from './upload-processor.ts'
import {
  advanceUpload,
  findUpload,
  insertUpload,
  partsOf,
  putPart,
  removeParts,
  removeUpload,
  type Upload,
  type UploadPart,
  uploadsOf,
} from './upload-store.ts'
import { UploadSweeper } from './upload-sweeper.ts'

export interface SubmissionFilesOptions {
  /** With SUBMISSION_TABLES and SUBMISSION_FILE_TABLES. */
  readonly database: Database
  readonly dictionary: Pick<LoadedDictionary, 'current'>
  readonly blobs: BlobStores
  readonly files: FileCatalogue
  readonly executor: Executor
  /** For manifests, which anybody with a token sends. */
  readonly boundedExecutor: Executor
  /** For bytes that are not checked yet. */
  readonly folder: string
  /** For those of new uploads, where all servers of the database get at them. */
  readonly bucket?: ObjectStore | undefined
  /** Of the disk that they are on; without it, as much as it takes. */
  readonly space?: Pick<DiskSpace, 'require'>
  readonly clock?: () => Date
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number
  /** Whether a release speaks of a file: its bytes are not removed. */
  readonly isReleased?: (fileId: string) => Promise<boolean>
  /** @param fileId empty where it is about no file */
  readonly onError?: (error: unknown, fileId: string) => void
  readonly limits?: Partial<UploadLimits>
  /** How a new file is made; for tests. */
  readonly openNew?: OpenNew
}

export interface UploadLimits {
  /** Bodies that arrive at the same time. */
  readonly bodies: number
  /** Uploads in parts of one file that are not completed. */
  readonly openUploads: number
  /** After which an upload that nobody sends parts for is dropped. */
  readonly staleDays: number
}

const ENDLESS: Pick<DiskSpace, 'require'> = { require: async () => {} }

const LIMITS: UploadLimits = { bodies: 64, openUploads: 16, staleDays: 7 }

/** Bytes of submitted files: uploads in one body or in parts, and their removal (submission.md 13.2, 14). */
export class SubmissionFiles {
  readonly #options: SubmissionFilesOptions
  readonly #database: Database
  readonly #places: UploadPlaces
  readonly #bucket: BucketUploads | undefined
  readonly #clock: () => Date
  readonly #limits: UploadLimits
  readonly #own: OwnFiles
  readonly #processor: UploadProcessor
  readonly #sweeper: UploadSweeper
  readonly #bodies: Gate

  constructor(options: SubmissionFilesOptions) {
    const { database, blobs, files, clock = () => new Date() } = options
    const { isReleased = async () => false, onError = () => {} } = options
    this.#options = options
    this.#database = database
    this.#clock = clock
    this.#limits = { ...LIMITS, ...options.limits }
    const folder = new UploadFolder(options.folder, options.openNew)
    this.#sweeper = new UploadSweeper({
      database,
      folder,
      clock,
      now: options.now,
      staleDays: this.#limits.staleDays,
      onFreed: () => {
        this.#bucket?.clean()
        this.#processor.wake()
      },
      onError: (error) => onError(error, ''),
    })
    const { server } = this.#sweeper
    const { space = ENDLESS, bucket: store } = options
    const here = new FolderUploads({ folder, blobs, space })
    this.#bucket =
      store &&
      new BucketUploads({ database, store, server, onError: (error) => onError(error, '') })
    this.#places = this.#bucket ? new UploadPlaces(this.#bucket, here) : new UploadPlaces(here)
    this.#own = new OwnFiles({ files, isReleased })
    this.#processor = new UploadProcessor({
      database,
      blobs,
      files,
      clock,
      onError,
      own: this.#own,
      places: this.#places,
      server,
    })
    const busy = `${this.#limits.bodies} files are being uploaded already; try again later`
    this.#bodies = new Gate(this.#limits.bodies, 0, busy)
  }

  /**
   * Takes up what servers that died were at: bodies that did not arrive are forgotten, those that did
   * are checked. To be called before anything is uploaded.
   * @param isAlone whether no other server works on the database, as with an embedded one
   */
  start({ isAlone }: { readonly isAlone: boolean }): Promise<void> {
    return this.#sweeper.start({ isAlone })
  }

  /** What is done every ten seconds when not alone. For tests. */
  beat(): Promise<void> {
    return this.#sweeper.beat()
  }

  /** What is done every hour. For tests. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep()
  }

  /** Resolves when all that has arrived is checked, and what is left of it removed. */
  async idle(): Promise<void> {
    await this.#processor.idle()
    await this.#bucket?.idle()
  }

  /** The project whose file has arrived under an id, and is not stored yet; any text may be asked for. */
  async arriving(id: string): Promise<string | undefined> {
    return this.#database.read(async (rows) => {
      const uploads = await uploadsOf(rows, id)
      if (!uploads.some(({ step }) => step === 'checking' || step === 'placing')) return undefined
      const [entity] = await entitiesById(rows, [id])
      return entity?.projectId
    })
  }

  /** Numbers for monitoring. */
  load() {
    return { activeUploads: this.#processor.active }
  }

  /** Ends what is done in the background; it goes on with the next start. */
  async close(): Promise<void> {
    await this.#processor.close()
    await this.#bucket?.close()
    await this.#sweeper.stop()
  }

  /**
   * Looks whether something may be done, and does nothing.
   * @throws EngineError as what it is about
   */
  async dryRun(
    request: FileRequest & { readonly uploadId?: string | undefined },
    action: FileAction,
  ): Promise<void> {
    const { uploadId } = request
    await this.#database.read(async (rows): Promise<unknown> => {
      if (uploadId === undefined) return admitFile(rows, request, action)
      return admitUpload(rows, { ...request, uploadId }, action)
    })
  }

  /**
   * Takes the bytes of a file in one body. They are safe when this resolves, and are checked
   * from then on; when it rejects, nothing of them is left.
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`; `bad_input` for the state of the
   *   file or its project; `conflict` while another body of it arrives; `busy`, `unavailable`
   */
  async upload(request: FileRequest, body: ArrivingBody): Promise<void> {
    const leave = await this.#bodies.enter()
    try {
      const uploadId = await this.#begin(request, 'whole', body.announced)
      try {
        const arrived = await this.#places.writing.receive(uploadId, WHOLE, body)
        await this.#arrived(request, uploadId, arrived)
      } catch (error) {
        const wasKnown = await this.#clear(uploadId).catch(() => {
          this.#sweeper.later(() => this.#clear(uploadId))
          return true
        })
        throw wasKnown ? error : givenUp(error)
      }
    } finally {
      leave()
    }
    this.#processor.wake()
  }

  /**
   * Begins an upload in parts, which others of the same file may go on beside; the first that is
   * completed is the one that counts.
   * @returns its id
   * @throws EngineError as `upload`; `too_many`
   */
  async initiate(request: FileRequest): Promise<string> {
    return this.#begin(request, 'parts')
  }

  async #begin(request: FileRequest, kind: Upload['kind'], bytes = 0): Promise<string> {
    const action = kind === 'whole' ? 'upload' : 'initiate_multipart'
    const id = randomUUID()
    const bytesPlace = this.#places.writing
    const place = await bytesPlace.place()
    const now = this.#now()
    // Most errors are found without a turn among the writers.
    await this.#database.read((rows) => admitFile(rows, request, action))
    await bytesPlace.require(bytes)
    await this.#database.write(async (transaction) => {
      const entity = await admitFile(transaction, request, action)
      requireFileName(entity)
      const others = await uploadsOf(transaction, entity.id)
      requireFree(entity, others, kind)
      if (others.length >= this.#limits.openUploads) throw tooMany(entity.id, others.length)
      const server = kind === 'whole' ? this.#sweeper.server : null
      const upload = { id, entityId: entity.id, kind, step: 'receiving', server, place } as const
      await insertUpload(transaction, upload, now)
      await changeFileState(transaction, entity, { fileState: 'uploading' }, now)
    })
    return id
  }

  /** All bytes of a body are safe: from here on they count. */
  async #arrived(
    request: FileRequest,
    uploadId: string,
    { size, md5, keep }: ArrivedBytes,
  ): Promise<void> {
    const others = await this.#database.write(async (transaction) => {
      await keep(transaction)
      const entity = await admitFile(transaction, request, 'upload')
      const upload = await findUpload(transaction, uploadId)
      if (!upload) throw givenUp()
      return completeUpload(transaction, upload, entity, { size, md5, now: this.#now() })
    })
    await this.#places.remove(others)
  }

  /**
   * Forgets a body that did not arrive; one that did counts, although it could not be said.
   * @returns whether anything was known of it
   */
  async #clear(uploadId: string): Promise<boolean> {
    // Among the writers: what was written of it before is known by then, whatever that is.
    const step = await this.#database.write(
      async (transaction) => (await findUpload(transaction, uploadId))?.step,
    )
    // The bytes first: they may be what fills the disk, and the database has to write to it.
    if (step === undefined || step === 'receiving') await this.#places.writing.remove(uploadId)
    if (step === 'receiving') {
      await this.#database.write(async (transaction) => {
        const upload = await findUpload(transaction, uploadId)
        if (upload) await dropUpload(transaction, upload, this.#now())
      })
    }
    return step !== undefined
  }

  /**
   * Takes a part. It is safe and known when this resolves; one with the same number that came
   * before is replaced.
   * @returns its md5
   * @throws EngineError as `upload`
   */
  async putPart(
    request: FileUploadRequest & { readonly partNumber: number },
    body: ArrivingBody,
  ): Promise<string> {
    const { partNumber: number } = request
    if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS) {
      const message = `partNumber is not a whole number from 1 to ${MAX_PARTS}`
      throw new EngineError('bad_input', message)
    }
    const leave = await this.#bodies.enter()
    try {
      const admit = (rows: Rows) => admitUpload(rows, request, 'upload_part')
      const { upload } = await this.#database.read(admit)
      const bytes = await this.#places.of(upload)
      await bytes.require(body.announced ?? 0)
      const { id } = upload
      const name = newPartName(number)
      try {
        const { size, md5, keep } = await bytes.receive(id, name, body)
        const part = { number, size, md5, name, modifiedAt: this.#now() }
        const former = await this.#database.write(async (transaction) => {
          await keep(transaction)
          await admit(transaction)
          return putPart(transaction, id, part)
        })
        if (former !== undefined) await bytes.removeBodies(id, [former])
        return md5
      } catch (error) {
        throw (await this.#clearPart(bytes, id, name)) ? error : givenUp(error)
      }
    } finally {
      leave()
    }
  }

  /**
   * Removes a part that did not arrive; one that did counts, although it could not be said.
   * @returns whether its upload is still known
   */
  async #clearPart(bytes: UploadBytes, uploadId: string, name: string): Promise<boolean> {
    const { upload, parts } = await this.#database.read(async (rows) => ({
      upload: await findUpload(rows, uploadId),
      parts: await partsOf(rows, uploadId),
    }))
    if (!upload) await bytes.remove(uploadId)
    else if (parts.every((part) => part.name !== name)) await bytes.removeBodies(uploadId, [name])
    return upload !== undefined
  }

  /**
   * The parts of an upload that have arrived, by their numbers.
   * @throws EngineError as `upload`
   */
  async parts(request: FileUploadRequest): Promise<readonly UploadPart[]> {
    return this.#database.read(async (rows) => {
      const { upload } = await admitUpload(rows, request, 'list_parts')
      return partsOf(rows, upload.id)
    })
  }

  /**
   * Reads the list by which an upload in parts is completed.
   * @throws EngineError `bad_input`, `too_large`, `busy`
   */
  async readPartList(
    body: Uint8Array,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly ListedPart[]> {
    requireListSize(body)
    return this.#options.executor.run(readPartListJob, { body }, { signal })
  }

  /**
   * Ends an upload in parts: the listed ones, by their numbers, are the file, and others go. They are
   * put together and checked from then on.
   * @returns the md5 of the parts' md5s, and how many they are, as object storage has it
   * @throws EngineError as `upload`; `bad_input` for a list that is not of parts which arrived
   */
  async complete(
    request: FileUploadRequest & { readonly listed: readonly ListedPart[] },
  ): Promise<string> {
    const admit = (rows: Rows) => admitUpload(rows, request, 'complete_multipart')
    const bytes = await this.#places.of((await this.#database.read(admit)).upload)
    const { parts, unlisted, others, id } = await this.#database.write(async (transaction) => {
      const { entity, upload } = await admit(transaction)
      requireFree(entity, await uploadsOf(transaction, entity.id), 'parts')
      const arrived = await partsOf(transaction, upload.id)
      const parts = checkPartList(request.listed, arrived)
      bytes.requireOne(parts.map(({ size }) => size))
      const listed = new Set(parts)
      const unlisted = arrived.filter((one) => !listed.has(one))
      const numbers = unlisted.map(({ number }) => number)
      await removeParts(transaction, upload.id, numbers)
      const others = await completeUpload(transaction, upload, entity, { now: this.#now() })
      return { parts, unlisted, others, id: upload.id }
    })
    await this.#places.remove(others)
    const gone = unlisted.map(({ name }) => name)
    await bytes.removeBodies(id, gone)
    this.#processor.wake()
    const hash = createHash('md5')
    for (const { md5 } of parts) hash.update(md5, 'hex')
    return `${hash.digest('hex')}-${parts.length}`
  }

  /**
   * Gives an upload in parts up.
   * @throws EngineError as `upload`
   */
  async abort(request: FileUploadRequest): Promise<void> {
    const gone = await this.#database.write(async (transaction) => {
      const { upload } = await admitUpload(transaction, request, 'abort_multipart')
      await dropUpload(transaction, upload, this.#now())
      return upload
    })
    await this.#places.remove([gone])
  }

  /**
   * Removes the bytes of a file that was not submitted, and all uploads of it. Where there are none
   * that is no error.
   * @throws EngineError as `upload`; `conflict` while another server checks them
   */
  async remove(request: FileRequest): Promise<void> {
    const entity = await this.#database.read((rows) => admitFile(rows, request, 'delete'))
    const goOn = await this.#processor.stop(entity.id)
    try {
      const stored = await this.#own.fileName(entity)
      const { gone, removal } = await this.#forget(
        request,
        stored,
        await this.#places.writing.place(),
      )
      await this.#places.remove(gone)
      if (removal) await this.#processor.finish(removal)
    } finally {
      goOn()
    }
  }

  /** Nobody gets or checks the bytes of a file any more; what is to be removed of them is returned. */
  async #forget(request: FileRequest, stored: string | undefined, place: string) {
    const now = this.#now()
    const { server } = this.#sweeper
    return this.#database.write(async (transaction) => {
      const entity = await admitFile(transaction, request, 'delete')
      const gone = await uploadsOf(transaction, entity.id)
      if (gone.some(({ step, server }) => step !== 'receiving' && server !== null)) {
        throw new EngineError('conflict', `File ${entity.id} is being worked on; try again later`)
      }
      if (entity.fileState !== 'registered') {
        await changeFileState(transaction, entity, { fileState: 'registered' }, now)
      }
      for (const { id } of gone) await removeUpload(transaction, id)
      const fileName = stored ?? gone.find((one) => one.fileName !== null)?.fileName
      if (fileName === undefined || fileName === null) return { gone }
      const made = { id: randomUUID(), entityId: entity.id, kind: 'whole', place, server } as const
      const removal = { ...made, step: 'removing', size: null, md5: null, fileName } as const
      await insertUpload(transaction, removal, now)
      await advanceUpload(transaction, removal.id, { ...removal, now })
      return { gone, removal }
    })
  }

  /**
   * The manifest by which the transfer client uploads files, as YAML (submission.md 14).
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`; `bad_input` without ids or for what
   *   is no file
   */
  async manifest(
    request: Omit<FileRequest, 'id'> & { readonly ids: readonly string[] },
  ): Promise<string> {
    const dictionary = await this.#options.dictionary.current()
    return this.#database.read(async (rows) => {
      const project = await projectNamed(rows, request)
      requireRoles(requirePrincipal(request), project, ['read'], 'read')
      return submissionManifest(rows, project, request.ids, dictionary)
    })
  }

  /** Whether somebody may have a manifest judged. @throws EngineError `unauthenticated` */
  admitManifest(caller: SubmissionCaller): void {
    requirePrincipal(caller)
  }

  /**
   * Judges a manifest, whoever's.
   * @throws EngineError `too_large`, `too_many`, `busy`
   */
  async judgeManifest(
    bytes: Uint8Array,
    run: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ManifestVerdict> {
    requireManifestSize(bytes)
    return this.#options.boundedExecutor.run(judgeManifestJob, { bytes }, run)
  }

  #now(): string {
    return this.#clock().toISOString()
  }
}

function tooMany(id: string, uploads: number): EngineError {
  const message = `File ${id} has ${uploads} uploads that are not completed; abort some of them`
  return new EngineError('too_many', message)
}

/** By an abort, a deletion, another upload that was completed, or a server that took this one for dead. */
function givenUp(cause?: unknown): EngineError {
  const message = 'the upload was given up or overtaken while it arrived; nothing of it was kept'
  return new EngineError('conflict', message, { cause })
}
