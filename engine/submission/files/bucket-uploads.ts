import { createHash, randomUUID } from 'node:crypto'
import type { BlobStore } from '../../shared/blobs/blob.ts'
import type { BlobKey } from '../../shared/blobs/blob-key.ts'
import {
  type ComposedSource,
  composeObject,
  planPieces,
} from '../../shared/blobs/compose-object.ts'
import type { ObjectClient } from '../../shared/blobs/object-client.ts'
import type { ObjectStore } from '../../shared/blobs/object-store.ts'
import type { Database, Transaction } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import { type ArrivingBody, type ReceivedBytes, requireAnnounced } from './receive.ts'
import { type ArrivedBytes, type CheckedUpload, type UploadBytes, WHOLE } from './upload-bytes.ts'
import {
  bodyTags,
  completeObject,
  deleteObjectRecords,
  deleteTargetRecords,
  insertObject,
  markBodiesForRemoval,
  markTargetsForRemoval,
  objectsToRemove,
  setMultipart,
  type UploadObject,
} from './upload-objects.ts'
import { findUpload, partsOf, type UploadPart } from './upload-store.ts'

/** Number of bytes of a body to hold in memory and send as one part of a multipart upload. S3 requires 5 MiB. */
const PIECE_BYTES = 8 << 20
/** Maximum size of a body in bytes. S3 allows 10,000 parts per object. */
const MAX_BODY_BYTES = PIECE_BYTES * 10_000
/** Maximum number of objects to remove that a query returns. */
const MAX_LOOKED_AT = 100

interface BucketUploadsOptions {
  readonly database: Database
  readonly store: ObjectStore
  /** Id of this server process in the database. */
  readonly server: string
  readonly onError: (error: unknown) => void
}

/**
 * Stores bytes of uploads in the bucket, as one object per body, so that all servers can read them. The database
 * records each object from before it has bytes until it is removed.
 */
export class BucketUploads implements UploadBytes {
  readonly #options: BucketUploadsOptions
  readonly #client: ObjectClient
  /** Request bodies to remove that are not yet marked in the database. */
  readonly #unrecorded = new Set<Pick<UploadObject, 'uploadId' | 'name'>>()
  /** Whether another pass over the objects to remove was requested. */
  #isWoken = false
  #isClosed = false
  #cleaning: Promise<void> | undefined

  constructor(options: BucketUploadsOptions) {
    this.#options = options
    this.#client = options.store.client
  }

  /** Returns bucket and prefix, without the endpoint: servers may reach the same bucket at different addresses. */
  async place(): Promise<string> {
    return `bucket:${this.#client.bucket}/${this.#options.store.prefix}`
  }

  // A bucket has no known limit of space.
  async require(): Promise<void> {}

  async receive(
    uploadId: string,
    name: string,
    { chunks, announced }: ArrivingBody,
  ): Promise<ArrivedBytes> {
    requireBodySize(announced ?? 0)
    const { database, server } = this.#options
    const place = await this.place()
    const object = { uploadId, name, target: null, multipart: null }
    await database.write(async (transaction) => {
      if (!(await findUpload(transaction, uploadId))) throw lost()
      await insertObject(transaction, object, { place, server })
    })
    try {
      const key = this.#keyOf(object)
      const body = new Body(this.#client, key, (multipart) => this.#begun(object, multipart))
      const received = await body.take(chunks, announced)
      const tag = await this.#tagOf(key, received.size)
      const keep = async (transaction: Transaction) => {
        if (await completeObject(transaction, { uploadId, name, tag }, server)) return
        await this.removeBodies(uploadId, [name])
        throw lost()
      }
      return { ...received, keep }
    } catch (error) {
      await this.removeBodies(uploadId, [name])
      throw error
    }
  }

  /**
   * Checks that parts of these sizes can form one object.
   * @throws EngineError `bad_input` otherwise
   */
  requireOne(sizes: readonly number[]): void {
    planPieces(sizes)
  }

  /**
   * Returns size and md5 of the joined parts. A single part was hashed on arrival. Several are read back from the
   * bucket, once.
   */
  async check(
    uploadId: string,
    parts: readonly UploadPart[],
    signal: AbortSignal,
  ): Promise<ReceivedBytes> {
    const [only, second] = parts
    if (only && !second) return { size: only.size, md5: only.md5 }
    const hash = createHash('md5')
    let size = 0
    for (const source of await this.#sources(uploadId, parts)) {
      const range = { ...source, start: 0, end: source.size, signal }
      await this.#client.fetch(range, (bytes) => void hash.update(bytes))
      size += source.size
    }
    return { size, md5: hash.digest('hex') }
  }

  async store(
    { id, kind, size }: CheckedUpload,
    key: BlobKey,
    signal: AbortSignal,
  ): Promise<BlobStore> {
    const { database, store, server } = this.#options
    const bodies =
      kind === 'whole' ? [{ name: WHOLE, size }] : await database.read((rows) => partsOf(rows, id))
    const sources = await this.#sources(id, bodies)
    const target = store.nameOf(key)
    const onBegun = (multipart: string) => this.#aim(id, target, multipart)
    await composeObject(this.#client, target, sources, { signal, onBegun })
    await this.#tagOf(target, size)
    await database.write((transaction) => deleteTargetRecords(transaction, id, server))
    return store
  }

  /** Takes no id: the transaction that deletes an upload's record also marks its objects for removal. */
  async remove(): Promise<void> {
    this.clean()
  }

  async removeBodies(uploadId: string, names: readonly string[]): Promise<void> {
    for (const name of names) this.#unrecorded.add({ uploadId, name })
    this.clean()
  }

  /** Starts removing objects that are marked for removal. Failures are retried by the next call. */
  clean(): void {
    this.#isWoken = !this.#isClosed
    if (this.#isWoken)
      this.#cleaning ??= this.#cleanAll()
        .catch(this.#options.onError)
        .finally(() => {
          this.#cleaning = undefined
          if (this.#isWoken) this.clean()
        })
  }

  /** Resolves when no removal is in progress. */
  async idle(): Promise<void> {
    while (this.#cleaning) await this.#cleaning
  }

  /** Stops removing objects. Other servers may continue. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#isWoken = false
    await this.#cleaning
  }

  async #cleanAll(): Promise<void> {
    const { database } = this.#options
    const place = await this.place()
    while (this.#isWoken) {
      this.#isWoken = false
      await this.#recordPending(place)
      const found = (rows: Parameters<typeof objectsToRemove>[0]) =>
        objectsToRemove(rows, place, MAX_LOOKED_AT)
      for (let lost = await database.read(found); lost.length > 0 && !this.#isClosed; ) {
        const { deleted, failure } = await this.#deleteAll(lost)
        await database.write((transaction) => deleteObjectRecords(transaction, deleted))
        if (failure) throw failure
        lost = await database.read(found)
      }
    }
  }

  async #recordPending(place: string): Promise<void> {
    const bodies = [...this.#unrecorded]
    if (bodies.length === 0) return
    const write = (transaction: Transaction) => markBodiesForRemoval(transaction, bodies, place)
    await this.#options.database.write(write)
    for (const body of bodies) this.#unrecorded.delete(body)
  }

  /** Deletes objects. If one cannot be deleted, the others still are. */
  async #deleteAll(objects: readonly UploadObject[]) {
    const deleted: UploadObject[] = []
    let failure: unknown
    for (const object of objects) {
      if (this.#isClosed) break
      await this.#delete(object).then(
        () => deleted.push(object),
        (error: unknown) => {
          failure ??= error
        },
      )
    }
    return { deleted, failure }
  }

  /**
   * Aborts an unfinished multipart upload and deletes its object. An object with a target is left: it may already
   * be a stored file.
   */
  async #delete(object: UploadObject): Promise<void> {
    const { multipart, target } = object
    const key = this.#keyOf(object)
    if (multipart !== null) await this.#client.abortUpload(key, multipart)
    if (target === null) await this.#client.remove(key)
  }

  #keyOf({ uploadId, name, target }: Omit<UploadObject, 'multipart'>): string {
    return target ?? `${this.#options.store.prefix}uploads/${uploadId}/${name}`
  }

  async #begun({ uploadId, name }: UploadObject, multipart: string): Promise<void> {
    const { database, server } = this.#options
    const isOurs = await database.write((transaction) =>
      setMultipart(transaction, { uploadId, name, multipart }, server),
    )
    if (!isOurs) throw lost()
  }

  /**
   * Records the object that is about to be composed. This server has the upload, so earlier objects that were
   * composed for it are left from dead servers or failed attempts, and are marked for removal.
   */
  async #aim(uploadId: string, target: string, multipart: string): Promise<void> {
    const { database, server } = this.#options
    const place = await this.place()
    const object = { uploadId, name: `target-${randomUUID()}`, target, multipart }
    await database.write(async (transaction) => {
      if ((await findUpload(transaction, uploadId))?.server !== server) throw lost()
      await markTargetsForRemoval(transaction, uploadId)
      await insertObject(transaction, object, { place, server })
    })
    this.clean()
  }

  async #sources(
    uploadId: string,
    bodies: readonly Pick<UploadPart, 'name' | 'size'>[],
  ): Promise<readonly ComposedSource[]> {
    const tags = await this.#options.database.read((rows) => bodyTags(rows, uploadId))
    return bodies.map(({ name, size }) => {
      const entityTag = tags.get(name)
      if (entityTag === undefined) {
        const message = `the database has no complete object "${name}" of the upload; upload it again`
        throw new EngineError('corrupt_source', message)
      }
      return { key: this.#keyOf({ uploadId, name, target: null }), entityTag, size }
    })
  }

  /**
   * Returns the entity tag of an object, which its identity gives as `inode`.
   * @throws EngineError `unavailable` if the object does not have all bytes
   */
  async #tagOf(key: string, size: number): Promise<string> {
    const identity = await this.#client.identity(key)
    if (identity?.size === size) return identity.inode
    const message = `object storage has ${identity?.size ?? 'none'} of the ${size} bytes that were sent`
    throw new EngineError('unavailable', message)
  }
}

/** Writes a request body to an object, in one request or as a multipart upload of the bucket. */
class Body {
  readonly #client: ObjectClient
  readonly #key: string
  /** Called with the id of the multipart upload before its first part is sent. */
  readonly #onBegun: (multipartId: string) => Promise<void>
  readonly #hash = createHash('md5')
  readonly #tags: string[] = []
  #piece: Buffer | undefined
  #filled = 0
  #size = 0
  #multipartId: string | undefined

  constructor(client: ObjectClient, key: string, onBegun: (multipartId: string) => Promise<void>) {
    this.#client = client
    this.#key = key
    this.#onBegun = onBegun
  }

  /** Sends a body. Reads only as fast as the storage accepts, which slows the client down. */
  async take(chunks: ArrivingBody['chunks'], announced: number | undefined) {
    for await (const chunk of chunks) {
      this.#size += chunk.length
      requireBodySize(this.#size)
      this.#hash.update(chunk)
      await this.#add(chunk)
    }
    requireAnnounced(this.#size, announced)
    const rest = this.#piece?.subarray(0, this.#filled) ?? Buffer.alloc(0)
    if (this.#multipartId === undefined) await this.#client.put(this.#key, rest)
    else {
      if (rest.length > 0) await this.#send(rest)
      await this.#client.completeUpload(this.#key, this.#multipartId, this.#tags)
    }
    return { size: this.#size, md5: this.#hash.digest('hex') }
  }

  async #add(chunk: Uint8Array): Promise<void> {
    this.#piece ??= Buffer.allocUnsafeSlow(PIECE_BYTES)
    for (let taken = 0; taken < chunk.length; ) {
      // A full part is sent only when more bytes follow, so that a short body takes a single request.
      if (this.#filled === PIECE_BYTES) {
        await this.#send(this.#piece)
        this.#filled = 0
      }
      const some = chunk.subarray(taken, taken + PIECE_BYTES - this.#filled)
      this.#piece.set(some, this.#filled)
      this.#filled += some.length
      taken += some.length
    }
  }

  async #send(body: Buffer): Promise<void> {
    if (this.#multipartId === undefined) {
      this.#multipartId = await this.#client.beginUpload(this.#key)
      await this.#onBegun(this.#multipartId)
    }
    const number = this.#tags.length + 1
    const part = { key: this.#key, uploadId: this.#multipartId, number, body }
    this.#tags.push(await this.#client.putPart(part))
  }
}

function requireBodySize(size: number): void {
  if (size <= MAX_BODY_BYTES) return
  const message = `the body is larger than ${MAX_BODY_BYTES} bytes, the maximum for one request; upload the file in parts`
  throw new EngineError('too_large', message)
}

/**
 * Creates the error for an upload that was aborted or deleted meanwhile, or that other servers took over because
 * this one seemed dead.
 */
function lost(): EngineError {
  const message = 'the upload was cancelled or replaced while it arrived; nothing of it was stored'
  return new EngineError('conflict', message)
}
