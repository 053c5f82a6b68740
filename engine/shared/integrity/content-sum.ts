import { createHash, type Hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { LoopTurns } from '../concurrency/loop-turns.ts'
import type { Executor } from '../executor.ts'
import { checksumJob } from './checksum-job.ts'

interface AddOptions {
  readonly signal?: AbortSignal | undefined
}

/** A checksum over the bytes of a file, computed chunk by chunk in file order. */
export interface ContentSum {
  /** Adds bytes. When the promise resolves, their memory can be reused. */
  add(bytes: Uint8Array, options?: AddOptions): Promise<void>
  /** Compares the checksum with the recorded one. Returns the difference, or undefined. Call it once. */
  difference(): string | undefined
}

/** Bytes hashed at a time on the calling thread. The md5 of a megabyte takes 1.6 ms. */
const STEP_BYTES = 1 << 20
/** Checksum jobs run before all other jobs, because they are short and a client is waiting for them. */
const PRIORITY = -1
/** Fewer bytes than this are hashed here, because passing them to a thread would take longer. */
const INLINE_BYTES = 64 << 10

/** Compares the CRC32, which was recorded when the md5 was right. Five times as fast as the md5. */
export class ChecksumSum implements ContentSum {
  readonly #executor: Executor
  readonly #recorded: number
  #checksum = 0

  constructor(recorded: number, executor: Executor) {
    this.#recorded = recorded
    this.#executor = executor
  }

  async add(bytes: Uint8Array, { signal }: AddOptions = {}): Promise<void> {
    const before = this.#checksum
    this.#checksum =
      bytes.length <= INLINE_BYTES
        ? crc32(bytes, before)
        : await this.#executor.run(checksumJob, { bytes, before }, { signal, priority: PRIORITY })
  }

  difference(): string | undefined {
    if (this.#checksum === this.#recorded) return undefined
    return `CRC32 is ${hex(this.#checksum)}; ${hex(this.#recorded)} is on record`
  }
}

const hex = (checksum: number) => checksum.toString(16).padStart(8, '0')

/**
 * Compares the md5, which all stored files have, and computes the CRC32 as well. The state of an md5 cannot be
 * passed between threads, so it is computed on this thread. In each turn of the event loop, one step is made for
 * all files together.
 */
export class Md5Sum implements ContentSum {
  readonly #recorded: string
  readonly #turns: LoopTurns
  readonly #hash: Hash = createHash('md5')
  #checksum = 0

  constructor(recorded: string, turns: LoopTurns) {
    this.#recorded = recorded
    this.#turns = turns
  }

  async add(bytes: Uint8Array, { signal }: AddOptions = {}): Promise<void> {
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      const step = bytes.subarray(at, at + STEP_BYTES)
      if (step.length > INLINE_BYTES) await this.#turns.next()
      signal?.throwIfAborted()
      this.#hash.update(step)
      this.#checksum = crc32(step, this.#checksum)
    }
  }

  /** CRC32 of all bytes so far. */
  get checksum(): number {
    return this.#checksum
  }

  difference(): string | undefined {
    const md5 = this.#hash.digest('hex')
    return md5 === this.#recorded ? undefined : `md5 is ${md5}; ${this.#recorded} is on record`
  }
}
