import type { FileHandle } from 'node:fs/promises'
import { Gate } from '../../shared/concurrency/gate.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import type { ByteSpan } from '../../shared/streams/byte-span.ts'
import { type ByteStream, generatedStream } from '../../shared/streams/byte-stream.ts'

/** Limits of all spooled responses together. */
export interface SpoolLimits {
  /** Total bytes on disk, including files being written. */
  readonly bytes: number
  /** Bytes of one file, reserved while it is written. */
  readonly bytesOfOne: number
  /** Number of files. Each is an open descriptor. */
  readonly files: number
  /** Number of concurrent writes, and of requests waiting for one without a reservation. */
  readonly writing: number
  readonly waiting: number
  /** Milliseconds after which an unused file is closed. */
  readonly milliseconds: number
}

export const SPOOL_LIMITS: SpoolLimits = Object.freeze({
  bytes: 4 * 2 ** 30,
  bytesOfOne: 2 ** 30,
  files: 64,
  writing: 1,
  waiting: 32,
  milliseconds: 5 * 60_000,
})

/** A complete response on disk, until it is given back. */
export interface SpooledFile {
  readonly size: number
  /** Streams a byte range, or all bytes. Disposing of the stream gives the file back. */
  open(span?: ByteSpan): ByteStream
  /** Gives the file back. Repeated calls do nothing. */
  end(): void
}

/** Writer of a response file that does not exist yet. */
export interface SpoolSource {
  /** Key that is equal for equal bytes. */
  readonly key: string
  /** Retains what `write` reads. Called before anything is awaited. */
  readonly retain: () => { release(): void }
  /** Writes a file without a name, whose space is freed when it is closed. */
  readonly write: (signal: AbortSignal) => Promise<FileHandle>
}

interface Written {
  readonly handle: FileHandle
  readonly size: number
}

interface Spool {
  readonly written: Promise<Written>
  readonly stop: AbortController
  /** Number of requests that wait for the file or read it. */
  users: number
  /** Bytes on disk, or the reservation while it is written. 0 while it waits. */
  bytes: number
  isWritten: boolean
  /** Set once the file is complete and has no users. */
  idle: { readonly timer: NodeJS.Timeout } | undefined
}

const READ_BYTES = 1 << 20
const BUSY = 'too many large answers are being written to disk; try again'

/**
 * Responses that have to be files before they are sent. Equal requests share a file, and only the last one to
 * leave cancels its writing. A file is unlinked as soon as it exists, so that nothing is left behind, and
 * closed when it has been idle for a while or its space is needed.
 */
export class Spools {
  readonly #limits: SpoolLimits
  readonly #space: Pick<DiskSpace, 'guard'> | undefined
  readonly #gate: Gate
  /** Files, least recently used first. */
  readonly #spools = new Map<string, Spool>()
  readonly #ending = new Set<Promise<unknown>>()
  #bytes = 0
  #isClosed = false

  /** @param space stops writing before it takes the disk's reserve */
  constructor(limits: Partial<SpoolLimits> = {}, space?: Pick<DiskSpace, 'guard'>) {
    this.#limits = { ...SPOOL_LIMITS, ...limits }
    this.#space = space
    this.#gate = new Gate(this.#limits.writing, this.#limits.waiting, BUSY)
  }

  /** Bytes on disk, including reservations. */
  get bytes(): number {
    return this.#bytes
  }

  get files(): number {
    return this.#spools.size
  }

  /**
   * Returns the file with that key, writing it if there is none.
   * @throws EngineError busy; whatever `write` throws; the signal's reason when it aborts
   */
  async take(source: SpoolSource, signal?: AbortSignal): Promise<SpooledFile> {
    signal?.throwIfAborted()
    const { key } = source
    const spool = this.#spools.get(key) ?? this.#begin(source)
    this.#use(key, spool)
    const end = this.#userOf(key, spool)
    try {
      const { handle, size } = await unlessAborted(spool.written, signal)
      return { size, end, open: (span) => read(handle, span ?? { start: 0, end: size }, end) }
    } catch (error) {
      end()
      throw error
    }
  }

  #begin(source: SpoolSource): Spool {
    this.#makePlace(0)
    const { bytesOfOne } = this.#limits
    const stop = new AbortController()
    const held = source.retain()
    // A request that waits for its turn to write reserves no disk space yet.
    const reserve = () => {
      this.#makePlace(bytesOfOne, 0)
      spool.bytes = bytesOfOne
      this.#bytes += bytesOfOne
    }
    const written = this.#write(source, reserve, stop.signal).finally(() => held.release())
    const spool: Spool = {
      written,
      stop,
      users: 0,
      bytes: 0,
      isWritten: false,
      idle: undefined,
    }
    this.#spools.set(source.key, spool)
    written.then(
      ({ size }) => {
        this.#bytes += size - spool.bytes
        spool.bytes = size
        spool.isWritten = true
        this.#whenUnused(source.key, spool)
      },
      () => this.#drop(source.key, spool),
    )
    return spool
  }

  async #write({ write }: SpoolSource, reserve: () => void, signal: AbortSignal): Promise<Written> {
    const leave = await this.#gate.enter(signal)
    try {
      reserve()
      const handle = await (this.#space ? this.#space.guard(signal, write) : write(signal))
      const { size } = await handle.stat()
      if (size <= this.#limits.bytesOfOne) return { handle, size }
      await handle.close()
      throw tooLarge(this.#limits.bytesOfOne)
    } finally {
      leave()
    }
  }

  /**
   * Drops idle files until there is space for so many bytes and files.
   * @throws EngineError busy; unavailable if closed
   */
  #makePlace(moreBytes: number, moreFiles = 1): void {
    const { bytes, files } = this.#limits
    const isFull = () => this.#bytes + moreBytes > bytes || this.#spools.size + moreFiles > files
    if (this.#isClosed) throw new EngineError('unavailable', 'the service is stopping')
    for (const [key, spool] of this.#spools) {
      if (!isFull()) return
      if (spool.idle) this.#drop(key, spool)
    }
    if (isFull()) throw new EngineError('busy', BUSY)
  }

  #use(key: string, spool: Spool): void {
    clearTimeout(spool.idle?.timer)
    spool.idle = undefined
    spool.users++
    this.#spools.delete(key)
    this.#spools.set(key, spool)
  }

  #userOf(key: string, spool: Spool): () => void {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      spool.users--
      this.#whenUnused(key, spool)
    }
  }

  #whenUnused(key: string, spool: Spool): void {
    if (spool.users > 0 || this.#spools.get(key) !== spool) return
    if (!spool.isWritten || this.#isClosed) {
      this.#drop(key, spool)
      return
    }
    const timer = setTimeout(() => this.#drop(key, spool), this.#limits.milliseconds).unref()
    spool.idle = { timer }
  }

  /** Removes a file from the index and stops its writing. */
  #drop(key: string, spool: Spool): void {
    if (this.#spools.get(key) !== spool) return
    this.#spools.delete(key)
    clearTimeout(spool.idle?.timer)
    spool.stop.abort()
    const { isWritten } = spool
    if (isWritten) this.#bytes -= spool.bytes
    const ending = spool.written
      .then(({ handle }) => handle.close())
      .catch(() => {})
      .finally(() => {
        // A file being written keeps its reservation until it has stopped.
        if (!isWritten) this.#bytes -= spool.bytes
        this.#ending.delete(ending)
      })
    this.#ending.add(ending)
  }

  /** Closes all files. Streams that are still being read fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const [key, spool] of this.#spools) this.#drop(key, spool)
    await Promise.all(this.#ending)
  }
}

/** Creates the error for a response that would exceed the file limit. */
function tooLarge(bytes: number): EngineError {
  const message = `the answer would take more than ${bytes} bytes on disk in this format; request fewer records by size and from, fewer fields, or another format`
  return new EngineError('too_large', message, { at: 'format' })
}

function read(handle: FileHandle, { start, end }: ByteSpan, giveBack: () => void): ByteStream {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, end - start))
    for (let at = start; at < end; ) {
      const length = Math.min(buffer.length, end - at)
      const { bytesRead } = await handle.read(buffer, 0, length, at)
      if (bytesRead === 0) throw new EngineError('unavailable', 'a spooled answer was cut off')
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  }
  return { ...generatedStream({ rest: chunks() }, { giveBack }), length: end - start }
}

/**
 * Waits for a promise until the signal aborts. Other callers can still wait for the same promise.
 * @throws the signal's reason if it aborts first
 */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
