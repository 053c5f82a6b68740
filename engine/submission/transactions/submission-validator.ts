import { packMembers } from '../../shared/arrays/packed.ts'
import { Gate } from '../../shared/concurrency/gate.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Executor } from '../../shared/executor.ts'
import { type Conclusion, conclude, concludeJob, type Pending } from './conclude.ts'
import { type ReadUpload, readUpload, readUploadJob, type UploadSource } from './read-body.ts'
import { type SharedTypes, shareTypes, type Types } from './shared-types.ts'
import { type Facts, weightOf } from './work.ts'

/** Limits up to which the calling thread is faster than a worker and is blocked only briefly. */
export interface SmallLimits {
  /** Size of a body in bytes. */
  readonly bytes: number
  /** Amount of data to validate, see `weightOf`. */
  readonly weight: number
}

/** A document is small if its serialized form is at most this many times as large as a small body. */
const PACKED_BYTES_PER_BYTE = 4

/**
 * Bytes of a body, and weight of a transaction, from which jobs run one at a time: parsed and with its results, such
 * a submission takes some hundred times its size.
 */
const ALONE = Object.freeze({ bytes: 256 * 1024, weight: 10_000 })

const SMALL: SmallLimits = Object.freeze({ bytes: 16 * 1024, weight: 400 })

/** Parses and validates submissions. Small ones are processed on the calling thread, large ones in jobs. */
export class SubmissionValidator {
  readonly #executor: Executor
  readonly #small: SmallLimits
  readonly #turns: LoopTurns
  /** Others that wait are bounded by the queues of transactions. */
  readonly #alone = new Gate(1, Number.POSITIVE_INFINITY, 'not busy')
  #shared: { readonly types: Types; readonly made: Promise<SharedTypes> } | undefined

  constructor(executor: Executor, small: SmallLimits = SMALL, turns = new LoopTurns()) {
    this.#turns = turns
    this.#executor = executor
    this.#small = small
  }

  /**
   * Parses an upload. The memory of a large body may be transferred away.
   * @throws EngineError as readUpload; `busy`
   */
  async read(
    source: UploadSource,
    types: Types,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ReadUpload> {
    signal?.throwIfAborted()
    const length = 'body' in source ? source.body.byteLength : source.canonicalJson.length
    if (length <= this.#small.bytes) return readUpload(source, types)
    const input = { source, types: await this.#sharedTypes(types) }
    const transfer = 'body' in source ? ownBuffers(source.body) : []
    const read = () => this.#executor.run(readUploadJob, input, { signal, transfer })
    return length < ALONE.bytes ? read() : this.#runAlone(read, signal)
  }

  /** Validates a transaction with the data that was read for it. */
  async conclude(pending: Pending, facts: Facts, types: Types): Promise<Conclusion> {
    const weight = weightOf(pending.work, facts)
    if (this.#isSmall(pending, weight)) {
      return this.#turns.run(conclude(pending, facts, types))
    }
    const conclusion = () => this.#concludeInJob(pending, facts, types)
    return weight < ALONE.weight ? conclusion() : this.#runAlone(conclusion)
  }

  async #concludeInJob(pending: Pending, facts: Facts, types: Types): Promise<Conclusion> {
    const packed = await this.#turns.run(packMembers(facts))
    const input = {
      pending: withoutNames(pending),
      facts: packed,
      types: await this.#sharedTypes(types),
    }
    const transfer = packed.map(({ buffer }) => buffer)
    return this.#executor.run(concludeJob, input, { transfer })
  }

  /** Does the work of a large submission when that of those before it is done. */
  async #runAlone<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const leave = await this.#alone.enter(signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Returns whether the calling thread may validate it. Each document is one step and may be large. */
  #isSmall({ work }: Pending, weight: number): boolean {
    const packedBytes = work.upload?.documents.byteLength ?? 0
    const isShort = packedBytes <= PACKED_BYTES_PER_BYTE * this.#small.bytes
    return weight <= this.#small.weight && isShort
  }

  #sharedTypes(types: Types): Promise<SharedTypes> {
    if (this.#shared?.types !== types) {
      this.#shared = { types, made: this.#turns.run(shareTypes(types)) }
    }
    return this.#shared.made
  }
}

/** Returns the buffer of the bytes for transfer. Returns none if other data share the buffer. */
function ownBuffers({ buffer, byteLength }: Uint8Array): readonly ArrayBuffer[] {
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  return isOwn ? [buffer] : []
}

/** Drops the names, which are only needed to fetch the data. */
function withoutNames(pending: Pending): Pending {
  const { upload } = pending.work
  return upload
    ? { ...pending, work: { ...pending.work, upload: { ...upload, names: [] } } }
    : pending
}
