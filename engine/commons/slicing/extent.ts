import type { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import type { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import type { Frames } from './ledger.ts'

/** Verified blocks of one part of a slice. If the next block is faulty, `failure` is the reason. */
export interface Proven {
  readonly parts: readonly Uint8Array[]
  readonly failure: EngineError | undefined
}

/** A part of a slice that is being produced. Call `release` to return its buffer after `bytes` has settled. */
export interface Item {
  readonly bytes: Promise<Proven>
  readonly release: () => void
}

/** A range of whole blocks of the file, as file offsets, half-open. */
export interface Range {
  readonly start: number
  readonly end: number
}

export interface ExtentContext {
  readonly executor: Executor
  readonly buffers: BufferPool
  readonly signal: AbortSignal
}

/** Creates an item whose bytes lie in a buffer of the pool. */
export function itemOf(bytes: Promise<Proven>, buffer: Buffer, buffers: BufferPool): Item {
  // Prevents an unhandled rejection until the promise is awaited in order.
  bytes.catch(() => {})
  const give = () => buffers.give(buffer)
  return { bytes, release: () => void bytes.then(give, give) }
}

/** Returns the first `count` blocks as contiguous byte ranges. A range ends only where a block is left out. */
export function contiguous(
  buffer: Buffer,
  { starts, lengths }: Frames,
  count: number,
): Uint8Array[] {
  const parts: Uint8Array[] = []
  let from = 0
  for (let i = 0; i < count; i++) {
    const end = starts[i]! + lengths[i]!
    if (i + 1 < count && starts[i + 1] === end) continue
    parts.push(buffer.subarray(starts[from]!, end))
    from = i + 1
  }
  return parts
}
