import type { BlobStore } from '../../shared/blobs/blob.ts'
import { blobKey } from '../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import type { FileCatalogue } from '../../shared/catalogue/files.ts'
import { onlyOnce } from '../../shared/concurrency/only-once.ts'
import type { Database, Rows, Transaction } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { StoredEntity } from '../transactions/graph.ts'
import { entitiesById } from '../transactions/store/entities.ts'
import { projectProperties } from '../transactions/store/projects.ts'
import type { EntityDocument } from '../transactions/submitted.ts'
import type { OwnFiles } from './own-files.ts'
import type { ReceivedBytes } from './receive.ts'
import { changeFileState, type FileState } from './upload-changes.ts'
import type { UploadPlaces } from './upload-places.ts'
import {
  advanceUpload,
  findUpload,
  holdUpload,
  partsOf,
  removeUpload,
  type Upload,
  waitingUploads,
} from './upload-store.ts'

interface UploadProcessorOptions {
  readonly database: Database
  readonly places: UploadPlaces
  readonly blobs: BlobStores
  readonly files: FileCatalogue
  readonly own: OwnFiles
  readonly clock: () => Date
  /** Id of this server process in the database. */
  readonly server: string
  readonly onError: (error: unknown, fileId: string) => void
}

/** Maximum number of uploads processed at a time. */
const AT_ONCE = 2
/** Milliseconds until a retry after a failure, such as a full disk or an unavailable bucket. */
const RETRY_MILLISECONDS = 60_000
/** Maximum number of waiting uploads to consider at a time. */
const MAX_LOOKED_AT = 1000

/**
 * Processes received and deleted uploads in the background: joins parts, checks size and md5, stores files,
 * removes bytes. The queue is in the database, so the work resumes after a crash.
 */
export class UploadProcessor {
  readonly #options: UploadProcessorOptions
  /** Uploads in progress, keyed by the id of the file. */
  readonly #working = new Map<string, Working>()
  /** Ids of uploads that failed and wait for the next retry. */
  readonly #failed = new Set<string>()
  /** Ids of files that must not be processed now. */
  readonly #stopped = new Set<string>()
  /** Uploads that are being taken from the queue. */
  readonly #takes = new Set<Promise<Upload | undefined>>()
  readonly #loops = new Set<Promise<void>>()
  /** Whether `wake` was called since the queue was last read. */
  #isWoken = false
  #isClosed = false
  #retry: NodeJS.Timeout | undefined

  constructor(options: UploadProcessorOptions) {
    this.#options = options
  }

  /** Number of uploads in progress. */
  get active(): number {
    return this.#working.size
  }

  /** Looks for uploads to process. Call it when there may be new ones. */
  wake(): void {
    this.#isWoken = true
    if (this.#isClosed || this.#loops.size >= AT_ONCE) return
    const loop = this.#work().catch((error) => this.#options.onError(error, ''))
    this.#loops.add(loop)
    loop.then(() => this.#loops.delete(loop))
  }

  /** Resolves when no upload is left to process. */
  async idle(): Promise<void> {
    while (this.#loops.size > 0) await Promise.all(this.#loops)
  }

  /**
   * Aborts the processing of a file's upload, waits until it has ended, and prevents more. Returns a function that
   * permits it again.
   */
  async stop(entityId: string): Promise<() => void> {
    this.#stopped.add(entityId)
    // The upload that is being taken from the queue right now may belong to this file.
    await Promise.allSettled(this.#takes)
    const working = this.#working.get(entityId)
    working?.stop.abort()
    await working?.done.promise
    return onlyOnce(() => {
      this.#stopped.delete(entityId)
      this.wake()
    })
  }

  /** Processes an upload that is assigned to this server. */
  async finish(upload: Upload): Promise<void> {
    this.#working.set(upload.entityId, newWorking())
    await this.#finish(upload)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    for (const { stop } of this.#working.values()) stop.abort()
    await this.idle()
  }

  async #work(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWoken = false
      const take = this.#take()
      this.#takes.add(take)
      const upload = await take.finally(() => this.#takes.delete(take))
      if (upload) await this.#finish(upload)
      else if (!this.#isWoken) return
    }
  }

  async #take(): Promise<Upload | undefined> {
    const { database, places, server } = this.#options
    const names = await places.names()
    const next = async (rows: Rows) => {
      const waiting = await waitingUploads(rows, names, MAX_LOOKED_AT)
      return waiting.find((one) => !this.#failed.has(one.id) && !this.#stopped.has(one.entityId))
    }
    // The database is read before it is written, because usually there is no upload and writers wait for each other.
    if (!(await database.read(next))) return undefined
    const taken = await database.write(async (transaction) => {
      const upload = await next(transaction)
      if (upload) await holdUpload(transaction, upload.id, server)
      return upload
    })
    if (taken) this.#working.set(taken.entityId, newWorking())
    return taken && { ...taken, server }
  }

  async #finish(upload: Upload): Promise<void> {
    const { id, entityId } = upload
    const { stop, done } = this.#working.get(entityId) ?? newWorking()
    try {
      await this.#carryOut(upload, stop.signal)
    } catch (error) {
      if (!stop.signal.aborted) {
        this.#options.onError(error, entityId)
        this.#failed.add(id)
        this.#retryLater()
      }
      await this.#giveUp([id]).catch(() => this.#failed.add(id))
    } finally {
      this.#working.delete(entityId)
      done.resolve()
    }
  }

  /** Releases uploads, so that any server can process them. */
  async #giveUp(ids: readonly string[]): Promise<void> {
    await this.#options.database.write(async (transaction) => {
      for (const id of ids) {
        const held = await this.#held(transaction, id)
        if (held) await holdUpload(transaction, id, null)
      }
    })
  }

  #retryLater(): void {
    clearTimeout(this.#retry)
    const retry = async () => {
      await this.#giveUp([...this.#failed])
      this.#failed.clear()
      this.wake()
    }
    this.#retry = setTimeout(() => {
      retry().catch(() => this.#retryLater())
    }, RETRY_MILLISECONDS)
    this.#retry.unref()
  }

  /**
   * Returns the upload if it still exists and is assigned to this server. If other servers consider this server
   * dead, they take over its uploads.
   */
  async #held(transaction: Transaction, id: string): Promise<Upload | undefined> {
    const upload = await findUpload(transaction, id)
    return upload?.server === this.#options.server ? upload : undefined
  }

  #now(): string {
    return this.#options.clock().toISOString()
  }

  async #carryOut(upload: Upload, signal: AbortSignal): Promise<void> {
    switch (upload.step) {
      case 'receiving':
        return
      case 'checking':
        return this.#check(upload, signal)
      case 'placing':
        return this.#place(upload, signal)
      case 'removing':
        return this.#remove(upload)
    }
  }

  async #check(upload: Upload, signal: AbortSignal): Promise<void> {
    const { database, places } = this.#options
    const { id, entityId, kind, size, md5 } = upload
    const bytes = await places.of(upload)
    const parts = await database.write(async (transaction) => {
      if (!(await this.#held(transaction, id))) return undefined
      await this.#setState(transaction, entityId, () => ({ fileState: 'validating' }))
      return partsOf(transaction, id)
    })
    if (!parts) return
    const isHashed = kind === 'whole' && size !== null && md5 !== null
    const received = isHashed ? { size, md5 } : await bytes.check(id, parts, signal)
    const placing = await database.write((transaction) =>
      this.#validate(transaction, upload, received),
    )
    if (placing === 'rejected') await bytes.remove(id)
    else if (placing) await this.#place(placing, signal)
  }

  async #validate(
    transaction: Transaction,
    { id, entityId }: Upload,
    received: ReceivedBytes,
  ): Promise<Upload | 'rejected' | undefined> {
    const held = await this.#held(transaction, id)
    if (!held) return undefined
    const [entity] = await entitiesById(transaction, [entityId])
    const errorType = errorTypeOf(entity, received)
    if (errorType === undefined) {
      const fileName = String(entity?.properties.file_name)
      const next = { ...held, ...received, fileName, step: 'placing' } as const
      await advanceUpload(transaction, id, { ...next, now: this.#now() })
      return next
    }
    await this.#setState(transaction, entityId, () => ({ fileState: 'error', errorType }))
    await removeUpload(transaction, id)
    return 'rejected'
  }

  async #place(upload: Upload, signal: AbortSignal): Promise<void> {
    const { database, places, files } = this.#options
    const { id, entityId, kind, size, md5, fileName } = upload
    const bytes = await places.of(upload)
    if (size === null || md5 === null || fileName === null) throw new Error('not checked yet')
    const entity = await this.#entity(entityId)
    if (!entity) return this.#remove(upload)
    if (!(await this.#claim(entity, md5))) return this.#reject(upload)
    const store = await bytes.store({ id, kind, size }, blobKey(entityId, fileName), signal)
    const access = await database.read(async (rows) =>
      accessOf(entity, await projectProperties(rows, entity.projectId)),
    )
    await files.add({
      id: entityId,
      fileName,
      size,
      md5,
      dataFormat: null,
      access,
      acl: [entity.projectId],
      partOf: null,
      indexName: null,
      storage: store.kind,
      linkedModified: null,
      createdAt: this.#now(),
    })
    const isWrong = await database.write(async (transaction) => {
      if (!(await this.#held(transaction, id))) return false
      const [entity] = await entitiesById(transaction, [entityId])
      // The entity may have been changed since the check started.
      const errorType = errorTypeOf(entity, { size, md5 })
      if (errorType === undefined && nameOf(entity) === fileName) {
        await this.#setState(transaction, entityId, validated)
        await removeUpload(transaction, id)
        return false
      }
      await this.#setState(transaction, entityId, () => ({
        fileState: 'error',
        errorType: errorType ?? null,
      }))
      const removing = { step: 'removing', server: this.#options.server, now: this.#now() } as const
      await advanceUpload(transaction, id, removing)
      return true
    })
    if (isWrong) await this.#remove({ ...upload, step: 'removing' })
    else await bytes.remove(id)
  }

  /** Reserves the id of an entity for its bytes. Returns false if the id has another owner. */
  async #claim(entity: StoredEntity, md5: string): Promise<boolean> {
    try {
      await this.#options.own.claim(entity, md5)
      return true
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'already_exists') throw error
      this.#options.onError(error, entity.id)
      return false
    }
  }

  async #reject(upload: Upload): Promise<void> {
    const { database, places } = this.#options
    const { id, entityId } = upload
    await database.write(async (transaction) => {
      if (!(await this.#held(transaction, id))) return
      await this.#setState(transaction, entityId, () => ({ fileState: 'error' }))
      await removeUpload(transaction, id)
    })
    await places.remove([upload])
  }

  async #entity(id: string): Promise<StoredEntity | undefined> {
    return (await this.#options.database.read((rows) => entitiesById(rows, [id])))[0]
  }

  #stores(): readonly BlobStore[] {
    const { blobs } = this.#options
    return [...new Set<BlobStore>([blobs.writing, blobs.folder])]
  }

  async #remove(upload: Upload): Promise<void> {
    const { database, places, files, own } = this.#options
    const { id, entityId, fileName } = upload
    const owned = await own.removable(entityId, await this.#entity(entityId))
    if (owned) {
      const name = (await files.find(entityId))?.fileName ?? fileName
      // Deleted from the catalogue first, so that downloads end before the bytes are removed.
      await files.remove(entityId)
      if (name !== null) {
        for (const store of this.#stores()) await store.remove(blobKey(entityId, name))
      }
      await files.owners.giveUp(owned)
    }
    await places.remove([upload])
    await database.write(async (transaction) => {
      if (await this.#held(transaction, id)) await removeUpload(transaction, id)
    })
  }

  async #setState(
    transaction: Transaction,
    entityId: string,
    nextState: (entity: StoredEntity) => FileState,
  ): Promise<void> {
    const [entity] = await entitiesById(transaction, [entityId])
    if (entity) await changeFileState(transaction, entity, nextState(entity), this.#now())
  }
}

interface Working {
  readonly stop: AbortController
  readonly done: PromiseWithResolvers<void>
}

function newWorking(): Working {
  return { stop: new AbortController(), done: Promise.withResolvers() }
}

/** Returns the state of a file with valid bytes: `submitted` if its entity is, otherwise `validated`. */
function validated({ state }: StoredEntity): FileState {
  const fileState = state === 'submitted' ? 'submitted' : 'validated'
  return { fileState }
}

/** Returns the property of the entity that the bytes do not match, if any (submission.md 13.2). */
function errorTypeOf(entity: StoredEntity | undefined, { size, md5 }: ReceivedBytes) {
  const { file_size: declaredSize, md5sum } = entity?.properties ?? {}
  if (Number(declaredSize) !== size) return 'file_size'
  return String(md5sum).toLowerCase() === md5 ? undefined : 'md5sum'
}

function nameOf(entity: StoredEntity | undefined): unknown {
  return entity?.properties.file_name
}

/** Returns the access to a file before its release. It is controlled unless the file or its project is open. */
function accessOf({ properties }: StoredEntity, project: EntityDocument): 'open' | 'controlled' {
  return (properties.access ?? project.access) === 'open' ? 'open' : 'controlled'
}
