import { unlessAborted } from '../concurrency/unless-aborted.ts'
import { EngineError } from '../errors.ts'
import type { Executor, Job } from '../executor.ts'
import type { RangeReader } from './address.ts'
import type { BlobRunOptions, OpenBlob, ReadOptions, WithSource } from './blob.ts'
import type { FileIdentity } from './identity.ts'
import { PAGE_BYTES, PageCache, type PageMemory } from './page-memory.ts'
import { MissingBytes } from './source.ts'

/** Requests to object storage have a latency of tens of milliseconds, so each should fetch many bytes. */
const READ_BYTES = 8 << 20
/** Maximum bytes to fetch for a job that reads sequentially. Each request is twice as large as the one before. */
const MAX_FETCH_BYTES = 8 << 20
const MAX_ROUNDS = 64

/** A range of page numbers, 0-based and half-open. */
interface Extent {
  readonly first: number
  readonly end: number
}

/** An open object, or a remote file. Reads fail if it changes. */
export class ObjectBlob implements OpenBlob {
  readonly readBytes = READ_BYTES
  readonly isLocal = false
  readonly identity: FileIdentity
  readonly #client: RangeReader
  readonly #key: string
  readonly #memory: PageMemory
  readonly #cached = new PageCache()
  /** Pages being fetched, keyed by page number, so that each is requested once. */
  readonly #coming = new Map<number, Promise<Uint8Array>>()
  readonly #closed = new AbortController()

  constructor(client: RangeReader, key: string, identity: FileIdentity, memory: PageMemory) {
    this.#client = client
    this.#key = key
    this.identity = identity
    this.#memory = memory
  }

  async read(into: Uint8Array, position: number, { signal }: ReadOptions = {}): Promise<number> {
    const end = Math.min(position + into.length, this.identity.size)
    if (position >= end) return 0
    await this.#client.fetch(this.#range(position, end, signal), (bytes, at) => {
      into.set(bytes, at - position)
    })
    return end - position
  }

  async run<Input, Output>(
    executor: Executor,
    job: Job<Input & WithSource, Output>,
    input: Input,
    { reads, ...options }: BlobRunOptions = {},
  ): Promise<Output> {
    const pages = new Map<number, Uint8Array>()
    const source = { size: this.identity.size, pageBytes: PAGE_BYTES, pages }
    if (reads) await this.#bring(pagesOf(reads), pages, options.signal)
    let last: Extent | undefined
    for (let round = 0; round < MAX_ROUNDS; round++) {
      try {
        return await executor.run(job, { ...input, source }, options)
      } catch (error) {
        if (!(error instanceof MissingBytes)) throw error
        last = nextExtent(error, last)
        await this.#bring(last, pages, options.signal)
      }
    }
    throw new EngineError('unavailable', 'job needs too many parts of an object in object storage')
  }

  /** Loads pages into the map of a job. The job keeps them until it ends. */
  async #bring(
    { first, end }: Extent,
    into: Map<number, Uint8Array>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const behind = Math.min(end, Math.ceil(this.identity.size / PAGE_BYTES))
    if ((into.size + behind - first) * PAGE_BYTES > this.#memory.limits.perJob) {
      throw new EngineError('unavailable', 'job needs too much of an object in object storage')
    }
    this.#request(first, behind)
    // All pages are collected at once, because a cached page may be evicted while others are fetched.
    const numbers = Array.from({ length: Math.max(0, behind - first) }, (_, i) => first + i)
    const pages = numbers.map((number) => this.#cached.get(number) ?? this.#coming.get(number))
    const here = await unlessAborted(Promise.all(pages), signal)
    for (const [i, page] of here.entries()) if (page) into.set(first + i, page)
  }

  /** Starts one request for each run of pages that are neither cached nor being fetched. */
  #request(first: number, end: number): void {
    for (let number = first; number < end; number++) {
      const from = number
      while (number < end && !this.#cached.get(number) && !this.#coming.has(number)) number++
      if (number > from) this.#fetch(from, number)
    }
  }

  #fetch(first: number, end: number): void {
    const { size } = this.identity
    const pages = Array.from({ length: end - first }, (_, i) => {
      const start = (first + i) * PAGE_BYTES
      return new Uint8Array(new SharedArrayBuffer(Math.min(PAGE_BYTES, size - start)))
    })
    const start = first * PAGE_BYTES
    const limit = Math.min(end * PAGE_BYTES, size)
    const fetched = this.#client.fetch(
      this.#range(start, limit, this.#closed.signal),
      (bytes, at) => scatter(bytes, at - start, pages),
    )
    for (const [i, page] of pages.entries()) {
      const number = first + i
      const come = fetched.then(() => page)
      come.then(
        () => {
          this.#coming.delete(number)
          if (!this.#closed.signal.aborted) this.#memory.add(this.#cached, number, page)
        },
        () => this.#coming.delete(number),
      )
      this.#coming.set(number, come)
    }
  }

  #range(start: number, end: number, signal: AbortSignal | undefined) {
    return { key: this.#key, entityTag: this.identity.inode, start, end, signal }
  }

  async close(): Promise<void> {
    this.#closed.abort(new EngineError('unavailable', 'object was closed'))
    await Promise.allSettled(this.#coming.values())
    this.#memory.drop(this.#cached)
  }
}

function pagesOf({ start, end }: { readonly start: number; readonly end: number }): Extent {
  return { first: Math.floor(start / PAGE_BYTES), end: Math.ceil(end / PAGE_BYTES) }
}

/**
 * Chooses the pages to fetch for a job. For a random read, one page. For a sequential read, twice as many as
 * last time, but not more than the job has requested.
 */
function nextExtent({ start, end }: MissingBytes, last: Extent | undefined): Extent {
  const { first, end: whole } = pagesOf({ start, end })
  if (first !== last?.end) return { first, end: first + 1 }
  const pages = Math.min(2 * (last.end - last.first), MAX_FETCH_BYTES / PAGE_BYTES)
  return { first, end: Math.max(first + 1, Math.min(first + pages, whole)) }
}

function scatter(bytes: Uint8Array, offset: number, pages: readonly Uint8Array[]): void {
  for (let from = 0; from < bytes.length; ) {
    const at = offset + from
    const inPage = at % PAGE_BYTES
    const part = bytes.subarray(from, from + PAGE_BYTES - inPage)
    pages[Math.floor(at / PAGE_BYTES)]?.set(part, inPage)
    from += part.length
  }
}
