import { randomUUID } from 'node:crypto'
import type * as Sdk from '@aws-sdk/client-s3'
import { EngineError } from '../errors.ts'
import { statusOf } from './object-errors.ts'
import { type ObjectStoreOptions, type OpenedSdk, openSdk } from './object-sdk.ts'
import { OBJECT_TIMES, within } from './object-times.ts'

/** Limit in milliseconds of one request, with all of its bytes. */
const REQUEST_MILLISECONDS = 60_000
/** Limit in milliseconds for removing everything. */
const CLEAN_MILLISECONDS = 60_000
/** How often the prefix is listed and emptied before the trial gives up. */
const CLEAN_ROUNDS = 3

/** Part of an object to read, or the tag that it must have. */
interface ReadOptions {
  /** Value of the header Range. */
  readonly range?: string
  /** Value of the header If-Match. */
  readonly ifMatch?: string | undefined
}

/** Response to a read. */
interface ReadAnswer {
  readonly bytes: Buffer
  readonly tag: string | undefined
  /** Value of the header Content-Range. */
  readonly contentRange: string | undefined
}

/** Requests to a bucket under a prefix of their own. It remembers what it makes, and removes all of it. */
export class BucketTrial {
  readonly sdk: typeof Sdk
  readonly client: Sdk.S3Client
  readonly bucket: string
  /** Prefix of all keys, with a slash at its end. */
  readonly prefix: string
  readonly #signal: AbortSignal
  readonly #keys = new Set<string>()
  /** Keys of uploads that were begun and neither completed nor aborted, by upload id. */
  readonly #uploads = new Map<string, string>()

  private constructor(
    { sdk, client }: OpenedSdk,
    { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
    signal: AbortSignal,
  ) {
    this.sdk = sdk
    this.client = client
    this.bucket = bucket
    this.prefix = prefix
    this.#signal = signal
  }

  /** Connects as all other requests of casemill do. */
  static async open(options: ObjectStoreOptions, signal: AbortSignal): Promise<BucketTrial> {
    const above = (options.prefix ?? '').replace(/^\/+|\/+$/g, '')
    const prefix = `${above === '' ? '' : `${above}/`}casemill-check-${randomUUID()}/`
    const opened = await openSdk(options, OBJECT_TIMES)
    return new BucketTrial(opened, { bucket: options.bucket, prefix }, signal)
  }

  /** Returns bucket and key of a name, as the commands of the SDK want them. The key will be removed. */
  at(name: string): { readonly Bucket: string; readonly Key: string } {
    const Key = this.prefix + name
    this.#keys.add(Key)
    return { Bucket: this.bucket, Key }
  }

  /** Sends a request with a time limit. Its errors are those of the SDK. */
  send<Answer>(
    request: (
      client: Sdk.S3Client,
      sending: { readonly abortSignal: AbortSignal },
    ) => Promise<Answer>,
  ): Promise<Answer> {
    return within(REQUEST_MILLISECONDS, this.#signal, (abortSignal) =>
      request(this.client, { abortSignal }),
    )
  }

  /** Stores an object and returns its entity tag. */
  async put(name: string, body: Uint8Array): Promise<string | undefined> {
    const command = new this.sdk.PutObjectCommand({ ...this.at(name), Body: body })
    return (await this.send((client, sending) => client.send(command, sending))).ETag
  }

  async read(name: string, { range, ifMatch }: ReadOptions = {}): Promise<ReadAnswer> {
    const command = new this.sdk.GetObjectCommand({
      ...this.at(name),
      Range: range,
      IfMatch: ifMatch,
    })
    return this.send(async (client, sending) => {
      const { Body, ETag, ContentRange } = await client.send(command, sending)
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
      return { bytes, tag: ETag, contentRange: ContentRange }
    })
  }

  /** Returns size and entity tag, or undefined if there is no such object. */
  async head(
    name: string,
  ): Promise<Pick<Sdk.HeadObjectOutput, 'ContentLength' | 'ETag'> | undefined> {
    const command = new this.sdk.HeadObjectCommand(this.at(name))
    try {
      return await this.send((client, sending) => client.send(command, sending))
    } catch (error) {
      if (statusOf(error) === 404) return undefined
      throw error
    }
  }

  async remove(name: string): Promise<void> {
    const command = new this.sdk.DeleteObjectCommand(this.at(name))
    await this.send((client, sending) => client.send(command, sending))
  }

  /** Returns the names below a prefix in the order of the list, and how many pages it had. */
  async list(
    below: string,
    pageKeys?: number,
  ): Promise<{ readonly names: readonly string[]; readonly pages: number }> {
    const names: string[] = []
    for (let pages = 1, token: string | undefined; ; pages++) {
      const command = new this.sdk.ListObjectsV2Command({
        Bucket: this.bucket,
        Prefix: this.prefix + below,
        MaxKeys: pageKeys,
        ContinuationToken: token,
      })
      const page = await this.send((client, sending) => client.send(command, sending))
      for (const { Key = '' } of page.Contents ?? []) names.push(Key.slice(this.prefix.length))
      const next = page.NextContinuationToken
      // A token that comes again would be followed forever.
      if (!page.IsTruncated || next === undefined || next === token) return { names, pages }
      token = next
    }
  }

  async beginUpload(name: string): Promise<string> {
    const place = this.at(name)
    const command = new this.sdk.CreateMultipartUploadCommand(place)
    const { UploadId } = await this.send((client, sending) => client.send(command, sending))
    if (UploadId === undefined) throw new Error('upload has no id')
    this.#uploads.set(UploadId, place.Key)
    return UploadId
  }

  /** Uploads a part and returns its entity tag. */
  async putPart(name: string, UploadId: string, PartNumber: number, Body: Uint8Array) {
    const part = { ...this.at(name), UploadId, PartNumber, Body }
    const command = new this.sdk.UploadPartCommand(part)
    return (await this.send((client, sending) => client.send(command, sending))).ETag
  }

  /** @param tags entity tags of all parts, in part order */
  async completeUpload(name: string, UploadId: string, tags: readonly (string | undefined)[]) {
    const Parts = tags.map((ETag, i) => ({ ETag, PartNumber: i + 1 }))
    const upload = { ...this.at(name), UploadId, MultipartUpload: { Parts } }
    const command = new this.sdk.CompleteMultipartUploadCommand(upload)
    await this.send((client, sending) => client.send(command, sending))
    this.#uploads.delete(UploadId)
  }

  async abortUpload(name: string, UploadId: string): Promise<void> {
    const command = new this.sdk.AbortMultipartUploadCommand({ ...this.at(name), UploadId })
    await this.send((client, sending) => client.send(command, sending))
    this.#uploads.delete(UploadId)
  }

  /** Creates a URL with which anyone can read an object until some seconds after `now`. */
  async presign(name: string, now: Date, seconds: number): Promise<string> {
    const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
    const command = new this.sdk.GetObjectCommand(this.at(name))
    return getSignedUrl(this.client, command, { expiresIn: seconds, signingDate: now })
  }

  /** Sends a request without credentials. */
  async fetch(url: string, headers: Readonly<Record<string, string>> = {}) {
    return within(REQUEST_MILLISECONDS, this.#signal, async (signal) => {
      const answer = await fetch(url, { headers, redirect: 'manual', signal })
      const bytes = Buffer.from(await answer.arrayBuffer())
      return { status: answer.status, headers: answer.headers, bytes }
    })
  }

  /**
   * Removes all objects and uploads of the trial, also after its signal has aborted, and closes all connections.
   * @throws EngineError `unavailable` if something is left
   */
  async end(): Promise<void> {
    try {
      await within(CLEAN_MILLISECONDS, undefined, (abortSignal) => this.#clean({ abortSignal }))
    } catch {
      throw new EngineError(
        'unavailable',
        `not everything below "${this.prefix}" in bucket ${JSON.stringify(this.bucket)} could be removed; remove it there`,
      )
    } finally {
      this.client.destroy()
    }
  }

  async #clean(sending: { readonly abortSignal: AbortSignal }): Promise<void> {
    const { sdk, client, bucket: Bucket } = this
    for (const Key of this.#keys) {
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), sending)
    }
    // What a request that was given up has still stored.
    for (let round = 0; ; round++) {
      const command = new sdk.ListObjectsV2Command({ Bucket, Prefix: this.prefix })
      const { Contents = [] } = await client.send(command, sending)
      if (Contents.length === 0) break
      if (round === CLEAN_ROUNDS) throw new Error('objects are left')
      for (const { Key } of Contents) {
        await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), sending)
      }
    }
    for (const [UploadId, Key] of this.#uploads) {
      const command = new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })
      // An upload that the server has ended, or completed although it should not, is gone.
      await client.send(command, sending).catch((error: unknown) => {
        if (statusOf(error) !== 404) throw error
      })
    }
  }
}
