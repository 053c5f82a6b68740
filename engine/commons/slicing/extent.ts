import type { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import type { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import type { Frames } from './ledger.ts'

/** What part of a slice puts out, and what is wrong behind that. */
export interface Proven {
  readonly parts: readonly Uint8Array[]
  readonly failure: EngineError | undefined
}

/** Part of a slice under way: bytes to come, and how to give back what they occupy. */
export interface Item {
  readonly bytes: Promise<Proven>
  readonly release: () => void
}

/** Whole blocks of the file from one offset to another. */
export interface Range {
  readonly start: number
  readonly end: number
}

export interface ExtentContext {
  readonly executor: Executor
  readonly buffers: BufferPool
  readonly signal: AbortSignal
}

/** Bytes that are being made in a buffer of the pool. */
export function itemOf(bytes: Promise<Proven>, buffer: Buffer, buffers: BufferPool): Item {
  // Awaited in order later; a rejection before that is not an unhandled one.
  bytes.catch(() => {})
  const give = () => buffers.give(buffer)
  return { bytes, release: () => void bytes.then(give, give) }
}

/** The first `count` blocks as few extents of bytes, interrupted only where blocks were left out. */
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
