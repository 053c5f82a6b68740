import type { FileHandle } from 'node:fs/promises'
import type { EngineError } from '../errors.ts'
import type { Executor } from '../executor.ts'
import { blockLength } from '../formats/bgzf.ts'
import { FormatError } from '../formats/format-error.ts'
import type { Alignment } from './alignment.ts'
import { type BufferPool, STRETCH_BYTES } from './buffers.ts'
import { type Directory, lowerBlock } from './directory.ts'
import type { Frames } from './ledger.ts'
import { damage } from './source.ts'
import { countMatching, isSound, verifyJob } from './verify.ts'

/** What part of a slice puts out, and what is wrong behind that. */
export interface Proven {
  readonly parts: readonly Uint8Array[]
  readonly fault: EngineError | undefined
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

export interface StretchContext {
  readonly executor: Executor
  readonly buffers: BufferPool
  readonly signal: AbortSignal
  /** Whether the calling thread has enough to do, so that even comparing checksums goes elsewhere. */
  readonly busy: boolean
}

/** Blocks that one verify job proves: about two milliseconds, so that small slices get their turn. */
const VERIFY_BLOCKS = 16
const VERIFY_PRIORITY = 1

/** The whole blocks at the start of a buffer. Empty ones are left out of the frames. */
interface Chain extends Frames {
  /** Bytes from the buffer's start to the end of the last whole block. */
  readonly length: number
  /** Why the bytes behind that are no block; undefined when they are merely incomplete. */
  readonly fault: string | undefined
}

/** Bytes read into a buffer of the pool. */
interface Loaded {
  readonly at: number
  readonly buffer: Buffer
  /** Whether the file ended before `length` bytes were read. */
  readonly cut: boolean
  readonly chain: Chain
}

/**
 * Copies the blocks in [start, end) of the file, stretch by stretch. Each block is proved before it
 * is put out: by its checksum when it was proved before, in full by a thread otherwise.
 */
export function copyStretches(
  alignment: Alignment,
  range: Range,
  context: StretchContext,
): AsyncGenerator<Item> | Generator<Item> {
  const { directory } = alignment
  // A range that was located by the index may reach behind the directory's last block.
  return directory && range.end <= directory.blockOffset.at(-1)!
    ? copyKnown(alignment, directory, range, context)
    : copyUnknown(alignment, range, context)
}

/** The directory tells where blocks end, so any number of stretches can be read at a time. */
function* copyKnown(
  alignment: Alignment,
  { blockOffset, blockLength }: Directory,
  { start, end }: Range,
  context: StretchContext,
): Generator<Item> {
  const { buffers, signal } = context
  for (let at = start; at < end; ) {
    signal.throwIfAborted()
    const row = lowerBlock(blockOffset, at + STRETCH_BYTES + 1) - 1
    // A megabyte of empty blocks may follow one block; those between others are read and dropped.
    const isLone = blockOffset[row] === at
    const next = isLone ? at + blockLength[row]! : Math.min(blockOffset[row]!, end)
    const buffer = buffers.take()
    const bytes = load(alignment, buffer, at, next - at).then((loaded) => {
      const whole = !loaded.cut && loaded.chain.length === next - loaded.at
      return prove(alignment, loaded, whole, context)
    })
    yield itemOf(bytes, buffer, buffers)
    at = isLone ? blockOffset[row + 1]! : next
  }
}

/** Where a stretch ends shows when it has been read; the next one is read while it is proved. */
async function* copyUnknown(
  alignment: Alignment,
  { start, end }: Range,
  context: StretchContext,
): AsyncGenerator<Item> {
  const { buffers, signal } = context
  const read = (at: number) =>
    load(alignment, buffers.take(), at, Math.min(STRETCH_BYTES, end - at))
  let next: Promise<Loaded> | undefined = start < end ? read(start) : undefined
  try {
    while (next) {
      const loaded: Loaded = await next
      next = undefined
      signal.throwIfAborted()
      const { at, buffer, cut, chain } = loaded
      const reached = at + chain.length
      const isLast = end - at <= STRETCH_BYTES
      const whole = !cut && chain.length > 0 && chain.fault === undefined
      const good = whole && (!isLast || reached === end)
      if (good && reached < end) next = read(reached)
      yield itemOf(prove(alignment, loaded, good, context), buffer, buffers)
    }
  } finally {
    next?.then(({ buffer }) => buffers.give(buffer)).catch(() => {})
  }
}

/** Bytes that are being made in a buffer of the pool. */
export function itemOf(bytes: Promise<Proven>, buffer: Buffer, buffers: BufferPool): Item {
  // Awaited in order later; a rejection before that is not an unhandled one.
  bytes.catch(() => {})
  const give = () => buffers.give(buffer)
  return { bytes, release: () => void bytes.then(give, give) }
}

async function load(
  { handle }: Alignment,
  buffer: Buffer,
  at: number,
  length: number,
): Promise<Loaded> {
  const bytesRead = await readFully(handle, buffer, length, at)
  return { at, buffer, cut: bytesRead < length, chain: followChain(buffer, bytesRead) }
}

async function readFully(handle: FileHandle, into: Buffer, length: number, position: number) {
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle
      .read(into, filled, length - filled, position + filled)
      .catch((cause: unknown) => {
        throw damage('disk cannot read', position + filled, cause)
      })
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

function followChain(bytes: Buffer, limit: number): Chain {
  const starts: number[] = []
  const lengths: number[] = []
  let at = 0
  let fault: string | undefined
  while (at < limit) {
    let length: number
    try {
      length = blockLength(bytes, at, limit)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      fault = error.message
      break
    }
    if (length === 0 || at + length > limit) break
    // An empty block in the middle looks like the end of the file to a reader: never copy it.
    if (bytes.readUInt32LE(at + length - 4) > 0) {
      starts.push(at)
      lengths.push(length)
    } else if (!isSound(bytes, at, at + length)) {
      fault = 'block is damaged'
      break
    }
    at += length
  }
  return {
    starts: Uint32Array.from(starts),
    lengths: Uint32Array.from(lengths),
    length: at,
    fault,
  }
}

/** @param whole whether the blocks reach as far as they should */
async function prove(
  alignment: Alignment,
  { at, buffer, chain }: Loaded,
  whole: boolean,
  context: StretchContext,
): Promise<Proven> {
  const { starts } = chain
  const fault = whole ? undefined : damage(chain.fault ?? 'block is cut off', at + chain.length)
  if (starts.length === 0) return { parts: [], fault }
  const expected = alignment.ledger.expected(at, chain)
  const sound =
    expected && !context.busy
      ? countMatching(buffer, chain, expected)
      : await proveInThreads(alignment, buffer, at, chain, expected, context)
  return {
    parts: contiguous(buffer, chain, sound),
    fault: sound < starts.length ? damage('block is damaged', at + starts[sound]!) : fault,
  }
}

/** How many blocks are sound, from the first on. */
async function proveInThreads(
  alignment: Alignment,
  buffer: Buffer,
  at: number,
  { starts, lengths }: Frames,
  expected: Uint32Array | undefined,
  { executor, signal }: StretchContext,
): Promise<number> {
  const bytes = new Uint8Array(buffer.buffer, 0, buffer.length)
  const perJob = expected ? starts.length : VERIFY_BLOCKS
  const jobs: Promise<{ first: number; sound: number; wanted: number }>[] = []
  for (let first = 0; first < starts.length; first += perJob) {
    const last = Math.min(first + perJob, starts.length)
    const frames = { starts: starts.slice(first, last), lengths: lengths.slice(first, last) }
    const part = expected?.slice(first, last)
    const job = executor.run(
      verifyJob,
      { bytes, ...frames, expected: part },
      { signal, priority: VERIFY_PRIORITY },
    )
    jobs.push(
      job.then(({ sound, checksums }) => {
        if (checksums) alignment.ledger.learn(at, frames, checksums)
        return { first, sound, wanted: last - first }
      }),
    )
  }
  // All of them, even when one was dropped: a job that still runs is reading the buffer.
  const results = await Promise.allSettled(jobs)
  for (const result of results) {
    if (result.status === 'rejected') throw result.reason
    const { first, sound, wanted } = result.value
    if (sound < wanted) return first + sound
  }
  return starts.length
}

/** The first `count` blocks as few stretches of bytes, interrupted only where blocks were left out. */
function contiguous(buffer: Buffer, { starts, lengths }: Frames, count: number): Uint8Array[] {
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
