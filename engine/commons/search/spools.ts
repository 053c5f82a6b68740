import type { FileHandle } from 'node:fs/promises'
import { Gate } from '../../shared/concurrency/gate.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import type { ByteSpan } from '../../shared/streams/byte-span.ts'
import { type ByteStream, generatedStream } from '../../shared/streams/byte-stream.ts'

/** What spooled answers take together. */
export interface SpoolLimits {
  /** Bytes on disk of all of them, with those that are being written. */
  readonly bytes: number
  /** Bytes that one may take; reserved while it is written. */
  readonly bytesOfOne: number
  /** How many there are: each is an open file. */
  readonly files: number
  /** How many are written at a time, and wait for that without a reserve. */
  readonly writing: number
  readonly waiting: number
  /** How long one stays that nobody reads. */
  readonly milliseconds: number
}

export const SPOOL_LIMITS: SpoolLimits = Object.freeze({
  ...{ bytes: 4 * 2 ** 30, bytesOfOne: 2 ** 30, files: 64 },
  ...{ writing: 1, waiting: 32, milliseconds: 5 * 60_000 },
})

/** A whole answer that is on disk, until it is given back. */
export interface SpooledFile {
  readonly size: number
  /** Some or all of its bytes; disposing of the stream gives the file back. */
  open(span?: ByteSpan): ByteStream
  /** Again does no harm. */
  end(): void
}

/** What is written where nobody has asked for it yet. */
export interface SpoolSource {
  /** Equal for equal bytes. */
  readonly key: string
  /** Holds what `write` reads; called before anything is awaited. */
  readonly retain: () => { release(): void }
  /** A file without a name: its bytes are gone when it is closed. */
  readonly write: (signal: AbortSignal) => Promise<FileHandle>
}

interface Written {
  readonly handle: FileHandle
  readonly size: number
}

interface Spool {
  readonly written: Promise<Written>
  readonly stop: AbortController
  /** Who waits for it or reads it. */
  users: number
  /** Bytes on disk; while it is written those that are reserved, and none while it waits. */
  bytes: number
  isWritten: boolean
  /** Settled well, and nobody reads it. */
  idle: { readonly timer: NodeJS.Timeout } | undefined
}

const READ_BYTES = 1 << 20
const BUSY = 'too many large answers are being written to disk; try again'

/**
 * Answers that have to be files before they can be sent. Equal ones share a file; who leaves while it is
 * written stops that only as the last one. A file is unlinked when it is made, so that nothing stays
 * behind, and closed when nobody has read it for a while or its place is needed.
 */
export class Spools {
  readonly #limits: SpoolLimits
  readonly #space: Pick<DiskSpace, 'guard'> | undefined
  readonly #gate: Gate
  /** In the order of last use. */
  readonly #spools = new Map<string, Spool>()
  readonly #ending = new Set<Promise<unknown>>()
  #bytes = 0
  #isClosed = false

  /** @param space stops what is being written before it takes of the reserve of the disk */
  constructor(limits: Partial<SpoolLimits> = {}, space?: Pick<DiskSpace, 'guard'>) {
    this.#limits = { ...SPOOL_LIMITS, ...limits }
    this.#space = space
    this.#gate = new Gate(this.#limits.writing, this.#limits.waiting, BUSY)
  }

  /** Bytes on disk, with those reserved. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many there are. */
  get files(): number {
    return this.#spools.size
  }

  /**
   * The file of that key, written now unless it is there or on its way.
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
    // Who only waits takes no space yet.
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
   * Drops what nobody reads until there is space for so many bytes, and files.
   * @throws EngineError busy; unavailable when it is closed
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

  /** Nobody finds it any more; what is being written stops. */
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
        // What is being written has its reserve until it has stopped.
        if (!isWritten) this.#bytes -= spool.bytes
        this.#ending.delete(ending)
      })
    this.#ending.add(ending)
  }

  /** Ends all; streams that are still read break off. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const [key, spool] of this.#spools) this.#drop(key, spool)
    await Promise.all(this.#ending)
  }
}

/** The error of an answer that would be a larger file. */
export function tooLarge(bytes: number): EngineError {
  const message = `the answer would take more than ${bytes} bytes on disk in this format; ask for fewer records by size and from, for fewer fields, or for another format`
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

/** @throws the signal's reason as soon as it aborts; the promise goes on for others */
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
