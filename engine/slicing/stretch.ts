import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { EngineError } from '../errors.ts'
import type { Executor } from '../executor.ts'
import { blockLength } from '../formats/bgzf.ts'
import { FormatError } from '../formats/format-error.ts'
import type { Alignment } from './alignment.ts'
import type { BufferPool } from './buffers.ts'
import type { Frames } from './ledger.ts'
import { damage } from './source.ts'
import { verifyJob } from './verify.ts'

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

export interface StretchContext {
  readonly executor: Executor
  readonly buffers: BufferPool
  readonly signal: AbortSignal
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

/**
 * Copies the blocks in [start, end) of the file, stretch by stretch. Each block is proved before it
 * is put out: by its checksum when it was proved before, in full by a thread otherwise. The next
 * stretch is being read while one is proved.
 */
export async function* copyStretches(
  alignment: Alignment,
  { start, end }: { readonly start: number; readonly end: number },
  context: StretchContext,
): AsyncGenerator<Item> {
  const { buffers, signal } = context
  const read = (at: number) => {
    const buffer = buffers.take()
    const length = Math.min(buffer.length, end - at)
    return { at, buffer, length, got: readFully(alignment.handle, buffer, length, at) }
  }
  let next: ReturnType<typeof read> | undefined = start < end ? read(start) : undefined
  try {
    while (next) {
      const { at, buffer, length, got } = next
      const bytesRead = await got
      next = undefined
      signal.throwIfAborted()
      const chain = followChain(buffer, bytesRead)
      const reached = at + chain.length
      const cut = bytesRead < length || chain.length === 0 || (at + length === end && reached < end)
      const fault =
        chain.fault !== undefined || cut
          ? damage(chain.fault ?? 'block is cut off', reached)
          : undefined
      if (!fault && reached < end) next = read(reached)
      const bytes = prove(alignment, buffer, at, chain, fault, context)
      const give = () => buffers.give(buffer)
      yield { bytes, release: () => void bytes.then(give, give) }
    }
  } finally {
    if (next) {
      const { buffer, got } = next
      const give = () => buffers.give(buffer)
      got.then(give, give)
    }
  }
}

async function readFully(handle: FileHandle, into: Buffer, length: number, position: number) {
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(into, filled, length - filled, position + filled)
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

async function prove(
  alignment: Alignment,
  buffer: Buffer,
  at: number,
  chain: Chain,
  fault: EngineError | undefined,
  context: StretchContext,
): Promise<Proven> {
  const { starts } = chain
  if (starts.length === 0) return { parts: [], fault }
  const expected = alignment.ledger.expected(at, chain)
  const sound = expected
    ? countMatching(buffer, chain, expected)
    : await proveInFull(alignment, buffer, at, chain, context)
  return {
    parts: contiguous(buffer, chain, sound),
    fault: sound < starts.length ? damage('block is damaged', at + starts[sound]!) : fault,
  }
}

/** How many blocks, from the first on, have the compressed bytes that they had when proved. */
function countMatching(buffer: Buffer, { starts, lengths }: Frames, expected: Uint32Array): number {
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!
    if (crc32(buffer.subarray(start, start + lengths[i]!)) !== expected[i]) return i
  }
  return starts.length
}

/** How many blocks, from the first on, inflate to what they state. */
async function proveInFull(
  alignment: Alignment,
  buffer: Buffer,
  at: number,
  { starts, lengths }: Frames,
  { executor, signal }: StretchContext,
): Promise<number> {
  const groups: Promise<{ first: number; sound: number; wanted: number }>[] = []
  for (let first = 0; first < starts.length; first += VERIFY_BLOCKS) {
    const last = Math.min(first + VERIFY_BLOCKS, starts.length)
    const frames = { starts: starts.slice(first, last), lengths: lengths.slice(first, last) }
    const job = executor.run(
      verifyJob,
      { bytes: new Uint8Array(buffer.buffer, 0, buffer.length), ...frames },
      { signal, priority: VERIFY_PRIORITY },
    )
    groups.push(
      job.then(({ checksums }) => {
        alignment.ledger.learn(at, frames, checksums)
        return { first, sound: checksums.length, wanted: last - first }
      }),
    )
  }
  const results = await Promise.all(groups)
  const bad = results.find(({ sound, wanted }) => sound < wanted)
  return bad ? bad.first + bad.sound : starts.length
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
