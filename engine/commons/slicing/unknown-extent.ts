import { damage } from '../../shared/blobs/source.ts'
import { blockLength } from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import type { Alignment } from './alignment.ts'
import { EXTENT_BYTES } from './buffers.ts'
import {
  contiguous,
  type ExtentContext,
  type Item,
  itemOf,
  type Proven,
  type Range,
} from './extent.ts'
import type { Frames } from './ledger.ts'
import { countMatching, isSound, verifyJob } from './verify.ts'

/** Maximum inflated bytes per verify job. A job takes a few milliseconds, so that small slices are not delayed. */
const VERIFY_BYTES = 1 << 20
/** Maximum number of blocks per verify job: many, so that an extent of tiny blocks does not fill the queue of jobs. */
const VERIFY_BLOCKS = 1024
const VERIFY_PRIORITY = 1

/** The whole blocks at the start of a buffer. Empty blocks are not in the frames. */
interface Chain extends Frames {
  /** Bytes from the start of the buffer to the end of the last whole block. */
  readonly length: number
  /** Why the bytes after the last block are not a block. Undefined if they are only incomplete. */
  readonly failure: string | undefined
}

/** Bytes read into a buffer of the pool. */
interface Loaded {
  readonly at: number
  readonly buffer: Buffer
  /** Whether the file ended before all wanted bytes were read. */
  readonly cut: boolean
  readonly chain: Chain
}

/**
 * Copies blocks of a file without a block directory. The end of an extent is known only after it has been read.
 * While it is verified, the next extent is read.
 */
export async function* copyUnknown(
  alignment: Alignment,
  { start, end }: Range,
  context: ExtentContext,
): AsyncGenerator<Item> {
  const { buffers, signal } = context
  const read = async (at: number) => {
    const buffer = buffers.take()
    try {
      return await load(alignment, buffer, { at, wanted: end - at, signal })
    } catch (error) {
      buffers.give(buffer)
      throw error
    }
  }
  let next: Promise<Loaded> | undefined = start < end ? read(start) : undefined
  try {
    while (next) {
      const loaded: Loaded = await next
      signal.throwIfAborted()
      next = undefined
      const { at, buffer, cut, chain } = loaded
      const reached = at + chain.length
      const isLast = end - at <= EXTENT_BYTES
      const whole = !cut && chain.length > 0 && chain.failure === undefined
      const good = whole && (!isLast || reached === end)
      if (good && reached < end) next = read(reached)
      yield itemOf(prove(alignment, loaded, good, context), buffer, buffers)
    }
  } finally {
    next?.then(({ buffer }) => buffers.give(buffer)).catch(() => {})
  }
}

interface Wanted {
  readonly at: number
  readonly wanted: number
  readonly signal: AbortSignal
}

async function load(
  { blob }: Alignment,
  buffer: Buffer,
  { at, wanted, signal }: Wanted,
): Promise<Loaded> {
  const target = buffer.subarray(0, wanted)
  const bytesRead = await blob.read(target, at, { signal })
  return { at, buffer, cut: bytesRead < target.length, chain: followChain(buffer, bytesRead) }
}

function followChain(bytes: Buffer, limit: number): Chain {
  const starts: number[] = []
  const lengths: number[] = []
  let at = 0
  let failure: string | undefined
  while (at < limit) {
    let length: number
    try {
      length = blockLength(bytes, at, limit)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      failure = error.message
      break
    }
    if (length === 0 || at + length > limit) break
    // Empty blocks are never copied, because readers take an empty block for the end of the file.
    if (bytes.readUInt32LE(at + length - 4) > 0) {
      starts.push(at)
      lengths.push(length)
    } else if (!isSound(bytes, at, at + length)) {
      failure = 'block is damaged'
      break
    }
    at += length
  }
  return {
    starts: Uint32Array.from(starts),
    lengths: Uint32Array.from(lengths),
    length: at,
    failure,
  }
}

/** @param whole whether the blocks extend as far as they should */
async function prove(
  alignment: Alignment,
  { at, buffer, chain }: Loaded,
  whole: boolean,
  context: ExtentContext,
): Promise<Proven> {
  const { starts } = chain
  const failure = whole ? undefined : damage(chain.failure ?? 'block is cut off', at + chain.length)
  if (starts.length === 0) return { parts: [], failure }
  const expected = alignment.ledger.expected(at, chain)
  const sound = expected
    ? countMatching(buffer, chain.length, { ...chain, expected })
    : await proveInThreads(alignment, buffer, at, chain, context)
  return {
    parts: contiguous(buffer, chain, sound),
    failure: sound < starts.length ? damage('block is damaged', at + starts[sound]!) : failure,
  }
}

/** Returns the index after the last block that one job verifies, beginning at `first`. At least one block. */
function endOfJob(buffer: Buffer, { starts, lengths }: Frames, first: number): number {
  const most = Math.min(first + VERIFY_BLOCKS, starts.length)
  let inflated = 0
  for (let i = first; i < most; i++) {
    inflated += buffer.readUInt32LE(starts[i]! + lengths[i]! - 4)
    if (inflated > VERIFY_BYTES) return Math.max(i, first + 1)
  }
  return most
}

/** Returns the number of intact blocks before the first damaged one. */
async function proveInThreads(
  alignment: Alignment,
  buffer: Buffer,
  at: number,
  { starts, lengths }: Frames,
  { executor, signal }: ExtentContext,
): Promise<number> {
  const bytes = new Uint8Array(buffer.buffer, 0, buffer.length)
  const jobs: Promise<{ first: number; sound: number; wanted: number }>[] = []
  for (let first = 0, last = 0; first < starts.length; first = last) {
    last = endOfJob(buffer, { starts, lengths }, first)
    const frames = { starts: starts.slice(first, last), lengths: lengths.slice(first, last) }
    const options = { signal, priority: VERIFY_PRIORITY }
    jobs.push(
      executor.run(verifyJob, { bytes, ...frames }, options).then(({ checksums }) => {
        alignment.ledger.learn(at, frames, checksums)
        return { first, sound: checksums.length, wanted: last - first }
      }),
    )
  }
  // Waits for all jobs even if one fails, because a running job still reads the buffer.
  const results = await Promise.allSettled(jobs)
  for (const result of results) {
    if (result.status === 'rejected') throw result.reason
    const { first, sound, wanted } = result.value
    if (sound < wanted) return first + sound
  }
  return starts.length
}
