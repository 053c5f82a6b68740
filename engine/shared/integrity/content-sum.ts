import { createHash, type Hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { LoopTurns } from '../concurrency/loop-turns.ts'
import type { Executor } from '../executor.ts'
import { checksumJob } from './checksum-job.ts'

interface AddOptions {
  readonly signal?: AbortSignal | undefined
}

/** A sum over the bytes of a file, given chunk by chunk in their order. */
export interface ContentSum {
  /** The bytes may be used again when this resolves. */
  add(bytes: Uint8Array, options?: AddOptions): Promise<void>
  /** Compares the sum with the one on record, once; reports what differs. */
  difference(): string | undefined
}

/** What the calling thread sums up at a time: a megabyte takes an md5 1.6 ms. */
const STEP_BYTES = 1 << 20
/** A checksum is soon taken, and a client waits for it: it goes before all other jobs. */
const PRIORITY = -1
/** Less than this is summed up sooner than it is handed to a thread. */
const INLINE_BYTES = 64 << 10

/** The CRC32 of bytes that had the right md5 when it was taken: five times as fast as that. */
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
 * The md5, which all stored files have on record, and the CRC32 beside it. Its state cannot leave a
 * thread, so it is taken here: a step in a turn of the event loop, however many files are summed up.
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

  /** Of all bytes so far. */
  get checksum(): number {
    return this.#checksum
  }

  difference(): string | undefined {
    const md5 = this.#hash.digest('hex')
    return md5 === this.#recorded ? undefined : `md5 is ${md5}; ${this.#recorded} is on record`
  }
}
