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
import {
  type ManifestVerdict,
  requireManifestSize,
  validateManifestJob,
} from './upload-manifest.ts'
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
  /** Database with SUBMISSION_TABLES and SUBMISSION_FILE_TABLES. */
  readonly database: Database
  readonly dictionary: Pick<LoadedDictionary, 'current'>
  readonly blobs: BlobStores
  readonly files: FileCatalogue
  readonly executor: Executor
  /** Executor with limited memory, for manifests, which any user with a token can send. */
  readonly boundedExecutor: Executor
  /** Folder in which uploads are stored until they are checked. */
  readonly folder: string
  /** Bucket for new uploads. With it, all servers of the database can access them. */
  readonly bucket?: ObjectStore | undefined
  /** Disk of the folder, whose reserved space is kept free. Undefined means no reserve. */
  readonly space?: Pick<DiskSpace, 'require'>
  readonly clock?: () => Date
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
  /** Returns whether a release contains a file. The bytes of such a file must not be removed. */
  readonly isReleased?: (fileId: string) => Promise<boolean>
  /** @param fileId empty if the error is not about one file */
  readonly onError?: (error: unknown, fileId: string) => void
  readonly limits?: Partial<UploadLimits>
  /** Creates a file. Tests replace it to simulate errors. */
  readonly openNew?: OpenNew
}

interface UploadLimits {
  /** Maximum number of request bodies received at a time. */
  readonly bodies: number
  /** Maximum number of unfinished multipart uploads per file. */
  readonly openUploads: number
  /** Number of days without a new part after which a multipart upload is dropped. */
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
   * Recovers after servers have died: drops bodies that were not received completely, and schedules checks of
   * the others. Call it before accepting uploads.
   * @param isAlone whether no other server uses the database, as with an embedded one
   */
  start({ isAlone }: { readonly isAlone: boolean }): Promise<void> {
    return this.#sweeper.start({ isAlone })
  }

  /** Sends a heartbeat. If there are other servers, this happens every ten seconds. For tests. */
  beat(): Promise<void> {
    return this.#sweeper.beat()
  }

  /** Removes stale uploads, as happens every hour. For tests. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep()
  }

  /** Resolves when all received uploads are processed and unused bytes are removed. */
  async idle(): Promise<void> {
    await this.#processor.idle()
    await this.#bucket?.idle()
  }

  /** Returns the project that has uploaded a file with this id, if the file is not stored yet. Accepts any text. */
  async arriving(id: string): Promise<string | undefined> {
    return this.#database.read(async (rows) => {
      const uploads = await uploadsOf(rows, id)
      if (!uploads.some(({ step }) => step === 'checking' || step === 'placing')) return undefined
      const [entity] = await entitiesById(rows, [id])
      return entity?.projectId
    })
  }

  /** Returns metrics for monitoring. */
  load() {
    return { activeUploads: this.#processor.active }
  }

  /** Stops background work, which the next start resumes. */
  async close(): Promise<void> {
    await this.#processor.close()
    await this.#bucket?.close()
    await this.#sweeper.stop()
  }

  /**
   * Checks whether an action is allowed, without performing it.
   * @throws EngineError like the action
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
   * Receives a file in one body. When the promise resolves, the bytes are durable, and they are checked in the
   * background. If it rejects, none of the bytes remain.
   * @throws EngineError as `admitFile`; `bad_input` also for a body of another length than announced; `conflict`
   *   while another body for the file arrives, or if the upload was deleted meanwhile; `busy` for too many bodies
   *   at a time; `unavailable` if the disk is full or the storage does not respond
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
   * Starts a multipart upload. Several may be open for one file. The first that is completed wins.
   * @returns id of the upload
   * @throws EngineError like `upload`; `too_many` if the file has too many open uploads
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
    // Most errors are found here in a read transaction, without waiting for the write lock.
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

  /** Records a body whose bytes are durable. Drops other uploads of the same file. */
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
   * Drops an upload in one body unless it is recorded as received. That is looked up, because the write may have
   * succeeded although the database did not respond.
   * @returns whether the upload still had a record
   */
  async #clear(uploadId: string): Promise<boolean> {
    // This is a write transaction, because it waits for earlier writes and sees their result.
    const step = await this.#database.write(
      async (transaction) => (await findUpload(transaction, uploadId))?.step,
    )
    // The bytes are removed before the database is changed, because they may have filled its disk.
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
   * Receives a part. When the promise resolves, the part is durable. It replaces an earlier part with the same
   * number.
   * @returns md5 of the part
   * @throws EngineError like `upload`
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
   * Removes a part unless it is recorded as received. That is looked up, because the write may have succeeded
   * although the database did not respond.
   * @returns whether the upload of the part still has a record
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
   * Returns the parts that have arrived, in the order of their numbers.
   * @throws EngineError as `upload`
   */
  async parts(request: FileUploadRequest): Promise<readonly UploadPart[]> {
    return this.#database.read(async (rows) => {
      const { upload } = await admitUpload(rows, request, 'list_parts')
      return partsOf(rows, upload.id)
    })
  }

  /**
   * Parses the request body that completes an upload: the list of its parts.
   * @throws EngineError `bad_input` if it is no such list; `too_large` over 2 MiB; `busy` if too many jobs
   *   are waiting
   */
  async readPartList(
    body: Uint8Array,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly ListedPart[]> {
    requireListSize(body)
    return this.#options.executor.run(readPartListJob, { body }, { signal })
  }

  /**
   * Completes a multipart upload: the listed parts, in the order of their numbers, become the file, and all
   * other parts are dropped. The file is joined and checked in the background.
   * @returns the ETag as in S3: the md5 of the parts' md5s, and the number of parts
   * @throws EngineError like `upload`; `bad_input` if the list does not match the parts that arrived
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
   * Aborts a multipart upload.
   * @throws EngineError like `upload`
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
   * Removes the bytes and all uploads of a file that is not submitted yet. Does nothing if there are none.
   * @throws EngineError like `upload`; `conflict` while another server checks the file
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

  /**
   * Deletes the records of a file's uploads. Returns these uploads, whose bytes must be removed, and a new upload
   * in the step `removing` if there may be stored bytes.
   * @param stored file name of the stored bytes; undefined if the project has stored none
   * @param place of the new upload
   */
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
   * Returns the YAML manifest with which the transfer client uploads files (submission.md 14).
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`; `bad_input` without ids or for an id
   * that is not a file
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

  /**
   * Throws if the caller may not validate manifests.
   * @throws EngineError `unauthenticated` without a principal
   */
  admitManifest(caller: SubmissionCaller): void {
    requirePrincipal(caller)
  }

  /**
   * Validates a manifest.
   * @throws EngineError `too_large` or `too_many` over MANIFEST_LIMITS; `busy` if too many jobs are waiting
   */
  async validateManifest(
    bytes: Uint8Array,
    run: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ManifestVerdict> {
    requireManifestSize(bytes)
    return this.#options.boundedExecutor.run(validateManifestJob, { bytes }, run)
  }

  #now(): string {
    return this.#clock().toISOString()
  }
}

function tooMany(id: string, uploads: number): EngineError {
  const message = `File ${id} has ${uploads} uploads that are not completed; abort some of them`
  return new EngineError('too_many', message)
}

/**
 * Creates the error for an upload that was aborted or deleted meanwhile, or that other servers took over because
 * this one seemed dead.
 */
function givenUp(cause?: unknown): EngineError {
  const message = 'the upload was cancelled or replaced while it arrived; nothing of it was stored'
  return new EngineError('conflict', message, { cause })
}
