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
    const leave = length >= ALONE.bytes ? await this.#alone.enter(signal) : undefined
    try {
      return await this.#executor.run(readUploadJob, input, { signal, transfer })
    } finally {
      leave?.()
    }
  }

  /** Validates a transaction with the data that was read for it. */
  async conclude(pending: Pending, facts: Facts, types: Types): Promise<Conclusion> {
    if (this.#isSmall(pending, facts)) {
      return this.#turns.run(conclude(pending, facts, types))
    }
    const packed = await this.#turns.run(packMembers(facts))
    const input = {
      pending: withoutNames(pending),
      facts: packed,
      types: await this.#sharedTypes(types),
    }
    const transfer = packed.map(({ buffer }) => buffer)
    const isAlone = weightOf(pending.work, facts) >= ALONE.weight
    const leave = isAlone ? await this.#alone.enter() : undefined
    try {
      return await this.#executor.run(concludeJob, input, { transfer })
    } finally {
      leave?.()
    }
  }

  /** Returns whether the calling thread may validate it. Each document is one step and may be large. */
  #isSmall({ work }: Pending, facts: Facts): boolean {
    const { bytes, weight } = this.#small
    const packedBytes = work.upload?.documents.byteLength ?? 0
    return weightOf(work, facts) <= weight && packedBytes <= PACKED_BYTES_PER_BYTE * bytes
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
