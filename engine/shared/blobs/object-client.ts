import { setTimeout as sleep } from 'node:timers/promises'
import type * as Sdk from '@aws-sdk/client-s3'
import type { Availability } from '../availability.ts'
import { EngineError } from '../errors.ts'
import { type FileIdentity, objectIdentity } from './identity.ts'
import {
  isAway,
  isFull,
  isMissing,
  isReplaced,
  isTimeout,
  isUnsupported,
  statusOf,
  storageError,
} from './object-errors.ts'
import { MAX_TRIES, type ObjectStoreOptions, type OpenedSdk, openSdk } from './object-sdk.ts'
import {
  millisecondsFor,
  OBJECT_TIMES,
  type ObjectTimes,
  timeoutError,
  within,
} from './object-times.ts'

export type { ObjectStoreOptions } from './object-sdk.ts'

/** Byte range of an object in a certain state, 0-based and half-open. */
interface ObjectRange {
  readonly key: string
  readonly entityTag: string
  readonly start: number
  readonly end: number
  readonly signal?: AbortSignal | undefined
}

export interface ListedObject {
  readonly key: string
  readonly bytes: number
  /** Time of the upload. */
  readonly modified: Date
}

interface ObjectPart {
  readonly key: string
  readonly uploadId: string
  /** Part number, starting at 1. */
  readonly number: number
  readonly body: Uint8Array
  readonly signal?: AbortSignal | undefined
}

/** Destination of a range that the storage copies. */
export interface CopiedPart extends Omit<ObjectPart, 'body'> {
  readonly from: Omit<ObjectRange, 'signal'>
}

export interface PresignedUrl {
  readonly url: string
  readonly expiresAt: Date
}

export interface PresignOptions {
  readonly now: Date
  /** Maximum lifetime of the URL. */
  readonly seconds: number
}

/** Options that the SDK takes with each request. */
interface Sending {
  readonly abortSignal: AbortSignal
  readonly requestTimeout?: number
}

type Request<Answer> = (opened: OpenedSdk, sending: Sending) => Promise<Answer>

interface SendOptions extends Omit<Sending, 'abortSignal'> {
  readonly signal?: AbortSignal | undefined
}

/** Number of responses that may stall during one read before it fails. */
const MAX_STALLS = 2
/** Number of connections that may break during one read before it fails, even if each has delivered bytes. */
const MAX_BREAKS = 16
const FIRST_PAUSE_MILLISECONDS = 100

/**
 * Client for one bucket. The SDK is loaded with the first request. All errors are EngineErrors `unavailable`
 * that name the bucket and contain no credentials.
 */
export class ObjectClient {
  readonly bucket: string
  readonly #options: ObjectStoreOptions
  readonly #times: ObjectTimes
  #opened: Promise<OpenedSdk> | undefined
  #isFull = false

  constructor(options: ObjectStoreOptions) {
    this.bucket = options.bucket
    this.#options = options
    this.#times = { ...OBJECT_TIMES, ...options.times }
  }

  /** Sends a request whose response is small and fast. */
  #send<Answer>(request: Request<Answer>): Promise<Answer> {
    const { request: milliseconds, silence: requestTimeout } = this.#times
    return this.#within(milliseconds, request, { requestTimeout })
  }

  /** Sends a request that uploads bytes, or that makes the storage assemble an object. */
  async #write<Answer>(
    request: Request<Answer>,
    { bytes = 0, signal }: { readonly bytes?: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Answer> {
    const milliseconds = this.#times.write + millisecondsFor(bytes)
    const watched: Request<Answer> = async (opened, sending) => {
      try {
        const answer = await request(opened, sending)
        this.#isFull = false
        return answer
      } catch (error) {
        this.#isFull ||= isFull(error)
        throw error
      }
    }
    return this.#within(milliseconds, watched, { signal })
  }

  /** Sends a request with a time limit and maps its errors. */
  async #within<Answer>(
    milliseconds: number,
    request: Request<Answer>,
    { signal, ...options }: SendOptions,
  ): Promise<Answer> {
    signal?.throwIfAborted()
    this.#opened ??= openSdk(this.#options, this.#times)
    const opened = await this.#opened
    try {
      const send = (abortSignal: AbortSignal) => request(opened, { ...options, abortSignal })
      return await within(milliseconds, signal, send)
    } catch (error) {
      signal?.throwIfAborted()
      throw storageError(error, this.bucket)
    }
  }

  /**
   * Creates a URL with which anyone can read the object, in any ranges. Only the host header is signed. The URL
   * expires at the latest with the credentials that signed it.
   */
  presign(key: string, { now, seconds }: PresignOptions): Promise<PresignedUrl> {
    return this.#send(async ({ sdk, client }) => {
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
      const { expiration } = await client.config.credentials()
      const left = expiration ? (expiration.getTime() - now.getTime()) / 1000 : seconds
      const expiresIn = Math.max(1, Math.floor(Math.min(seconds, left)))
      const command = new sdk.GetObjectCommand({ Bucket: this.bucket, Key: key })
      const url = await getSignedUrl(client, command, { expiresIn, signingDate: now })
      return { url, expiresAt: new Date(now.getTime() + expiresIn * 1000) }
    })
  }

  /** Returns whether the storage answers at all. The key need not exist. */
  async availability(key: string): Promise<Availability> {
    const asked = this.#send(async ({ sdk, client }, sending) => {
      try {
        await client.send(new sdk.HeadObjectCommand({ Bucket: this.bucket, Key: key }), sending)
      } catch (error) {
        if (isAway(error)) throw error
      }
    })
    return asked.then(
      () => (this.#isFull ? 'full' : 'available'),
      () => 'away',
    )
  }

  /** Returns the identity of the object with a key, or `undefined` if there is none. */
  identity(key: string): Promise<FileIdentity | undefined> {
    return this.#send(async ({ sdk, client }, sending) => {
      try {
        const { ContentLength, ETag, LastModified } = await client.send(
          new sdk.HeadObjectCommand({ Bucket: this.bucket, Key: key }),
          sending,
        )
        if (ContentLength === undefined || ETag === undefined) return undefined
        return objectIdentity(ContentLength, ETag, LastModified ?? new Date(0))
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    })
  }

  /**
   * Delivers the bytes of a range as they arrive. If a connection breaks, the read continues where it stopped.
   * The range must lie within the object.
   * @throws EngineError `unavailable`, also if the object has changed
   */
  async fetch(
    range: ObjectRange,
    deliver: (bytes: Uint8Array, position: number) => void,
  ): Promise<void> {
    const { start, end, signal } = range
    const milliseconds = this.#times.request + millisecondsFor(end - start)
    try {
      await within(milliseconds, signal, (stop) => this.#fetch({ ...range, signal: stop }, deliver))
    } catch (error) {
      signal?.throwIfAborted()
      throw storageError(error, this.bucket)
    }
  }

  async #fetch(
    range: ObjectRange & { readonly signal: AbortSignal },
    deliver: (bytes: Uint8Array, position: number) => void,
  ): Promise<void> {
    const { end, signal } = range
    let position = range.start
    for (let failures = 0, stalls = 0, breaks = 0; position < end; breaks++) {
      const before = position
      try {
        for await (const bytes of this.#body({ ...range, start: position })) {
          const wanted = bytes.subarray(0, end - position)
          deliver(wanted, position)
          position += wanted.length
        }
        if (position < end) throw new Error('answer is too short')
      } catch (error) {
        signal.throwIfAborted()
        failures = position > before ? 1 : failures + 1
        if (isTimeout(error)) stalls++
        const isHopeless = failures >= MAX_TRIES || stalls >= MAX_STALLS || breaks >= MAX_BREAKS
        if (isHopeless || error instanceof EngineError) throw error
        await sleep(FIRST_PAUSE_MILLISECONDS * 2 ** failures, undefined, { signal })
      }
    }
  }

  /**
   * Yields the body of one response. Errors of the connection are thrown unchanged, so that the caller can
   * retry. All others become EngineErrors.
   */
  async *#body({ key, entityTag, start, end, signal }: ObjectRange): AsyncGenerator<Uint8Array> {
    signal?.throwIfAborted()
    this.#opened ??= openSdk(this.#options, this.#times)
    const { sdk, client } = await this.#opened
    const command = new sdk.GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      Range: `bytes=${start}-${end - 1}`,
      IfMatch: entityTag,
    })
    const { request, silence: requestTimeout } = this.#times
    const send = (abortSignal: AbortSignal) => client.send(command, { abortSignal, requestTimeout })
    const answer = await within(request, signal, send).catch((error: unknown) => {
      signal?.throwIfAborted()
      // The SDK has already retried.
      throw storageError(error, this.bucket)
    })
    const body = answer.Body as
      | (AsyncIterable<Uint8Array> & { destroy(error?: Error): void })
      | undefined
    if (!body) return
    const abort = () => body.destroy(new Error('not wanted any more'))
    signal?.addEventListener('abort', abort, { once: true })
    const stall = setTimeout(() => body.destroy(timeoutError()), this.#times.silence)
    try {
      signal?.throwIfAborted()
      this.#check(answer, entityTag, start)
      for await (const bytes of body) {
        stall.refresh()
        yield bytes
      }
    } finally {
      clearTimeout(stall)
      signal?.removeEventListener('abort', abort)
      body.destroy()
    }
  }

  /**
   * Verifies the response, because some servers ignore If-Match or Range.
   * @throws EngineError `unavailable` if it is of another object or range
   */
  #check({ ETag, ContentRange }: Sdk.GetObjectCommandOutput, entityTag: string, start: number) {
    const named = `bucket ${JSON.stringify(this.bucket)}`
    if (ETag !== undefined && objectIdentity(0, ETag, new Date(0)).inode !== entityTag) {
      throw new EngineError('unavailable', `object in ${named} was replaced while it was read`)
    }
    if (!ContentRange?.startsWith(`bytes ${start}-`)) {
      throw new EngineError('unavailable', `object storage of ${named} cannot answer a range`)
    }
  }

  /** Yields the keys with a prefix. */
  async *keys(prefix: string): AsyncGenerator<string> {
    for await (const { key } of this.objects(prefix)) yield key
  }

  /** Yields the objects with a prefix, with size and modification time. */
  async *objects(prefix: string): AsyncGenerator<ListedObject> {
    for (let token: string | undefined; ; ) {
      const page = await this.#send(({ sdk, client }, sending) =>
        client.send(
          new sdk.ListObjectsV2Command({
            Bucket: this.bucket,
            Prefix: prefix,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
          sending,
        ),
      )
      for (const { Key, Size = 0, LastModified = new Date() } of page.Contents ?? []) {
        if (Key !== undefined) yield { key: Key, bytes: Size, modified: LastModified }
      }
      token = page.NextContinuationToken
      if (!page.IsTruncated || token === undefined) return
    }
  }

  async put(key: string, body: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#write(
      ({ sdk, client }, sending) =>
        client.send(
          new sdk.PutObjectCommand({ Bucket: this.bucket, Key: key, Body: body }),
          sending,
        ),
      { bytes: body.length, signal },
    )
  }

  async remove(key: string): Promise<void> {
    await this.#send(({ sdk, client }, sending) =>
      client.send(new sdk.DeleteObjectCommand({ Bucket: this.bucket, Key: key }), sending),
    )
  }

  /** Returns the ids of unfinished uploads of a key. Empty if the server cannot list uploads. */
  async uploads(key: string): Promise<string[]> {
    return this.#send(async ({ sdk, client }, sending) => {
      try {
        const { Uploads = [] } = await client.send(
          new sdk.ListMultipartUploadsCommand({ Bucket: this.bucket, Prefix: key }),
          sending,
        )
        return Uploads.flatMap(({ Key, UploadId }) => (Key === key && UploadId ? [UploadId] : []))
      } catch (error) {
        // Some servers cannot list uploads, and some policies do not permit it.
        if ([403, 405, 501].includes(statusOf(error) ?? 0)) return []
        throw error
      }
    })
  }

  async beginUpload(key: string): Promise<string> {
    return this.#send(async ({ sdk, client }, sending) => {
      const { UploadId } = await client.send(
        new sdk.CreateMultipartUploadCommand({ Bucket: this.bucket, Key: key }),
        sending,
      )
      if (UploadId === undefined) throw new Error('upload has no id')
      return UploadId
    })
  }

  /** Uploads a part and returns its entity tag. */
  async putPart({ key, uploadId, number, body, signal }: ObjectPart): Promise<string> {
    const send: Request<string> = async ({ sdk, client }, sending) => {
      const { ETag } = await client.send(
        new sdk.UploadPartCommand({
          Bucket: this.bucket,
          Key: key,
          UploadId: uploadId,
          PartNumber: number,
          Body: body,
        }),
        sending,
      )
      if (ETag === undefined) throw new Error('part has no entity tag')
      return ETag
    }
    return this.#write(send, { bytes: body.length, signal })
  }

  /** @param parts entity tags of all parts, in part order */
  async completeUpload(key: string, uploadId: string, parts: readonly string[]): Promise<void> {
    await this.#write(
      ({ sdk, client }, sending) =>
        client.send(
          new sdk.CompleteMultipartUploadCommand({
            Bucket: this.bucket,
            Key: key,
            UploadId: uploadId,
            MultipartUpload: { Parts: parts.map((ETag, i) => ({ ETag, PartNumber: i + 1 })) },
          }),
          sending,
        ),
      {},
    )
  }

  /** Aborts an upload. Does nothing if the upload is unknown or the server does not support this. */
  async abortUpload(key: string, uploadId: string): Promise<void> {
    await this.#send(async ({ sdk, client }, sending) => {
      const upload = { Bucket: this.bucket, Key: key, UploadId: uploadId }
      try {
        await client.send(new sdk.AbortMultipartUploadCommand(upload), sending)
      } catch (error) {
        if (!isMissing(error) && !isUnsupported(error)) throw error
      }
    })
  }

  /**
   * Copies a whole object of at most 5 GiB within the storage.
   * @returns false if the server cannot copy or reports another entity tag; some servers compare the tags of
   *   multipart objects wrongly, so the caller then reads by tag to find out whether the object has changed
   */
  async copy(
    { key, entityTag, end }: CopiedPart['from'],
    to: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const answer = await this.#copied(end, signal, ({ sdk, client }, sending) =>
      client.send(
        new sdk.CopyObjectCommand({
          Bucket: this.bucket,
          Key: to,
          CopySource: this.#sourceOf(key),
          CopySourceIfMatch: entityTag,
        }),
        sending,
      ),
    )
    return answer !== undefined
  }

  /** Copies a range as a part of an upload. Returns its entity tag, or `undefined` if the server cannot. */
  async copyPart({ key, uploadId, number, from, signal }: CopiedPart): Promise<string | undefined> {
    const { start, end } = from
    const answer = await this.#copied(end - start, signal, ({ sdk, client }, sending) =>
      client.send(
        new sdk.UploadPartCopyCommand({
          Bucket: this.bucket,
          Key: key,
          UploadId: uploadId,
          PartNumber: number,
          CopySource: this.#sourceOf(from.key),
          CopySourceIfMatch: from.entityTag,
          CopySourceRange: `bytes=${start}-${end - 1}`,
        }),
        sending,
      ),
    )
    if (!answer) return undefined
    const tag = answer.CopyPartResult?.ETag
    if (tag === undefined) {
      const message = `object storage of bucket ${JSON.stringify(this.bucket)} has copied nothing`
      throw new EngineError('unavailable', message)
    }
    return tag
  }

  async #copied<Answer>(
    bytes: number,
    signal: AbortSignal | undefined,
    request: Request<Answer>,
  ): Promise<Answer | undefined> {
    const unlessUnsupported: Request<Answer | undefined> = async (opened, sending) => {
      try {
        return await request(opened, sending)
      } catch (error) {
        if (isUnsupported(error) || isReplaced(error)) return undefined
        throw error
      }
    }
    return this.#write(unlessUnsupported, { bytes, signal })
  }

  #sourceOf(key: string): string {
    return `${this.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined)
    opened?.client.destroy()
    this.#opened = undefined
  }
}
