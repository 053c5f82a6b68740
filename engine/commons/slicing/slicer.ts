import { damage } from '../../shared/blobs/source.ts'
import { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import { Gate } from '../../shared/concurrency/gate.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import type { BinIndex } from '../../shared/formats/bam-index.ts'
import { END_MARKER } from '../../shared/formats/bgzf.ts'
import { type ByteStream, disposed, endOnce } from '../../shared/streams/byte-stream.ts'
import { mapAhead, pullAhead } from './ahead.ts'
import type { Alignment } from './alignment.ts'
import { AlignmentCache, type Lease } from './alignment-cache.ts'
import { EDGE_BYTES, EXTENT_BYTES } from './buffers.ts'
import { copyExtents } from './copy.ts'
import { edgeJob } from './edge.ts'
import { type ExtentContext, type Item, itemOf } from './extent.ts'
import { locateJob, locateUnplacedJob } from './locate.ts'
import type { AlignmentParts } from './parts.ts'
import {
  type Chunk,
  type Cut,
  cutByDirectory,
  cutLocated,
  cutUnplaced,
  hintsOfIndex,
  joinCuts,
  unplacedHint,
} from './plan.ts'
import type { Interval } from './region.ts'

export interface SliceLimits {
  /** Slices made at the same time, and slices that may wait for that. */
  readonly activeSlices: number
  readonly waitingSlices: number
  /** Open files and bytes of their directories and indexes that are kept. */
  readonly openFiles: number
  readonly cacheBytes: number
}

export const DEFAULT_LIMITS: SliceLimits = {
  activeSlices: 64,
  waitingSlices: 512,
  openFiles: 256,
  cacheBytes: 512 * 1024 * 1024,
}

/** What to take out of a file; intervals are merged and in file order. */
export interface Selection {
  readonly intervals: readonly Interval[]
  /** Records without a reference, after all others. */
  readonly unplaced: boolean
}

export interface SliceOptions {
  readonly signal?: AbortSignal | undefined
  /** `auto` uses the block directory if there is a current one. The others are for tests. */
  readonly locate?: 'auto' | 'directory' | 'index'
}

/** Items of one slice under way, each of up to two megabytes: enough to keep threads and disk busy. */
const MAX_AHEAD = 8
const MIN_AHEAD = 1
/** A copy from this length on goes on for a while: it leaves threads and disk to shorter slices. */
const LONG_COPY_BYTES = 4 * EXTENT_BYTES
const LONG_COPY_AHEAD = 2
/** Items of all slices under way that are aimed at; many slices at a time look less far ahead. */
const ALL_AHEAD = 64

const TOO_MANY_SLICES = 'too many slices are being made; try again in a moment'

type SliceContext = ExtentContext & {
  readonly edges: BufferPool
  /** What is being pulled now. */
  readonly pace: { isLongCopy: boolean }
  readonly ahead: () => number
}

/**
 * Makes slices of BAM files by copying the blocks between an interval's ends as they are.
 * Owns the open files, the buffers and the queue of slices.
 */
export class Slicer {
  readonly #executor: Executor
  readonly #cache: AlignmentCache
  readonly #extents = new BufferPool(EXTENT_BYTES)
  readonly #edges = new BufferPool(EDGE_BYTES)
  readonly #gate: Gate
  #bytes = 0

  constructor(executor: Executor, limits: SliceLimits, onOpen?: (alignment: Alignment) => void) {
    this.#executor = executor
    this.#cache = new AlignmentCache(executor, limits, onOpen)
    this.#gate = new Gate(limits.activeSlices, limits.waitingSlices, TOO_MANY_SLICES)
  }

  /**
   * Opens the file, lets `select` choose from its references, plans the slice and makes its first
   * part. All that can be said about the request is known when this resolves. The body is BAM bytes:
   * it ends normally only after the end marker, and throws EngineError corrupt_source midway after a
   * valid prefix.
   * @throws EngineError unavailable, no_index, corrupt_source, busy, or what `select` throws
   */
  async slice(
    parts: AlignmentParts,
    select: (alignment: Alignment) => Selection | Promise<Selection>,
    { signal, locate = 'auto' }: SliceOptions = {},
  ): Promise<ByteStream> {
    const leave = await this.#gate.enter(signal)
    let lease: Lease | undefined
    try {
      lease = await this.#cache.acquire(parts)
      const { alignment } = lease
      const index = await this.#indexFor(lease, locate)
      const { intervals, unplaced } = await select(alignment)

      const stop = new AbortController()
      const pace = { isLongCopy: false }
      const context: SliceContext = {
        executor: this.#executor,
        buffers: this.#extents,
        edges: this.#edges,
        pace,
        ahead: () => {
          const most = pace.isLongCopy ? LONG_COPY_AHEAD : MAX_AHEAD
          const share = Math.floor(ALL_AHEAD / this.#gate.inside)
          return Math.min(Math.max(share, MIN_AHEAD), most)
        },
        signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
      }
      const cuts = index
        ? cutsByIndex(alignment, index, intervals, unplaced, context)
        : cutsByDirectory(alignment, intervals, unplaced)
      const items = pullAhead(makeItems(alignment, joinCuts(cuts), context), context.ahead, discard)
      const held = lease
      const next: Next = { item: undefined, isWhole: false }
      const end = endOnce(async () => {
        // An error is dear, and nothing is left to be stopped when all was given out.
        if (!next.isWhole) stop.abort(disposed())
        await items.return(undefined)
        // Not before: what was being pulled has come by now.
        released(next)
        held.release()
        leave()
      })
      try {
        next.item = (await items.next()).value
        const proven = await next.item?.bytes
        if (proven?.failure) throw proven.failure
        const body = this.#stream(alignment, { next, rest: items, stopped: stop.signal, end })
        return { body, [Symbol.asyncDispose]: end }
      } catch (error) {
        await end()
        throw error
      }
    } catch (error) {
      if (lease) this.#doubt(lease.alignment, error)
      lease?.release()
      leave()
      throw error
    }
  }

  /**
   * Opens the file and its index, and lets go of them: what every slice of the file would be refused
   * for shows here.
   * @throws EngineError unavailable, no_index, corrupt_source, busy
   */
  async probe(parts: AlignmentParts, { signal }: Pick<SliceOptions, 'signal'> = {}): Promise<void> {
    const leave = await this.#gate.enter(signal)
    let lease: Lease | undefined
    try {
      lease = await this.#cache.acquire(parts)
      await this.#indexFor(lease, 'auto')
    } finally {
      lease?.release()
      leave()
    }
  }

  /** The index, if it is needed for this slice. */
  async #indexFor(lease: Lease, locate: SliceOptions['locate']): Promise<BinIndex | undefined> {
    if (locate !== 'index' && lease.alignment.directory) return undefined
    if (locate === 'directory') throw new EngineError('no_index', 'file has no block directory')
    return lease.index()
  }

  async *#stream(
    alignment: Alignment,
    { next, rest, stopped, end }: Items,
  ): AsyncGenerator<Uint8Array> {
    const counted = (bytes: Uint8Array) => {
      this.#bytes += bytes.length
      return bytes
    }
    try {
      yield counted(alignment.header.packed)
      while (next.item) {
        const { parts, failure } = await next.item.bytes
        for (const part of parts) {
          // The memory may be another slice's once this one was disposed of.
          stopped.throwIfAborted()
          if (part.length > 0) yield counted(part)
        }
        if (failure) throw failure
        released(next)
        next.item = (await rest.next()).value
      }
      // What was disposed of is not whole.
      stopped.throwIfAborted()
      yield counted(END_MARKER)
      next.isWhole = true
    } catch (error) {
      this.#doubt(alignment, error)
      throw error
    } finally {
      await end()
    }
  }

  /** What object storage does not give any more may be there again, as something else. */
  #doubt({ parts, blob }: Alignment, error: unknown): void {
    const isUnavailable = error instanceof EngineError && error.code === 'unavailable'
    if (isUnavailable && !blob.isLocal) this.#cache.forget(parts.key)
  }

  /** Forgets what is known of a file, so that the next slice of it looks again. */
  forget(key: string): void {
    this.#cache.forget(key)
  }

  /** Numbers for monitoring. */
  load() {
    return {
      activeSlices: this.#gate.inside,
      queuedSlices: this.#gate.waiting,
      bytesSliced: this.#bytes,
      openFiles: this.#cache.openFiles,
      bufferBytes: this.#extents.bytes + this.#edges.bytes,
    }
  }

  /** Closes the files that no slice uses, and the others as soon as their slices end. */
  async close(): Promise<void> {
    await this.#cache.close()
  }
}

/** What is put out next; it is released by whoever takes it away from here. */
interface Next {
  item: Item | undefined
  /** Whether the body was read to its end. */
  isWhole: boolean
}

/** The items of a slice, as its body is made of them. */
interface Items {
  readonly next: Next
  readonly rest: AsyncGenerator<Item, undefined>
  readonly stopped: AbortSignal
  readonly end: () => Promise<void>
}

function released(next: Next): void {
  const { item } = next
  next.item = undefined
  if (item) discard(item)
}

function discard(item: Item): void {
  item.bytes.catch(() => {})
  item.release()
}

async function* makeItems(
  alignment: Alignment,
  chunks: AsyncIterable<Chunk>,
  context: SliceContext,
): AsyncGenerator<Item> {
  const { executor, edges, pace, signal } = context
  const { blob } = alignment
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    const isLong = chunk.kind === 'copy' && chunk.end - chunk.start >= LONG_COPY_BYTES
    // What is elsewhere has its own pace; it comes faster when more is under way.
    pace.isLongCopy = isLong && blob.isLocal
    if (chunk.kind === 'copy') {
      yield* copyExtents(alignment, chunk, context)
      continue
    }
    const buffer = edges.take()
    const target = new Uint8Array(buffer.buffer, 0, buffer.length)
    const input = { steps: chunk.steps, target }
    const made = blob.run(executor, edgeJob, input, { signal })
    const bytes = made.then(({ length, overflow }) => ({
      parts: [overflow ?? buffer.subarray(0, length)],
      failure: undefined,
    }))
    yield itemOf(bytes, buffer, edges)
  }
}

/** Each interval with the end of the one before it on the same reference. */
function* withFloors(intervals: readonly Interval[]): Generator<[Interval, number]> {
  let last: Interval | undefined
  for (const interval of intervals) {
    yield [interval, last?.reference === interval.reference ? last.end : 0]
    last = interval
  }
}

function* cutsByDirectory(
  { directory }: Alignment,
  intervals: readonly Interval[],
  unplaced: boolean,
): Generator<Cut> {
  if (!directory) return
  for (const [interval, floor] of withFloors(intervals)) {
    yield cutByDirectory(directory, interval, floor)
  }
  if (unplaced) yield cutUnplaced(directory)
}

async function* cutsByIndex(
  alignment: Alignment,
  index: BinIndex,
  intervals: readonly Interval[],
  unplaced: boolean,
  { executor, signal, ahead }: SliceContext,
): AsyncGenerator<Cut> {
  const { blob, identity, header } = alignment
  yield* mapAhead(withFloors(intervals), ahead, async ([interval, floor]) => {
    const hints = hintsOfIndex(index, interval, floor)
    if (!hints) return { before: [], copy: undefined, after: [] }
    const located = await blob.run(executor, locateJob, hints, { signal })
    // Without an end marker, more records may have followed the last one that is there.
    if (!alignment.complete && located.to.block >= identity.size) throw noMarker(alignment)
    return cutLocated(located)
  })
  if (!unplaced) return
  const hint = unplacedHint(index, { block: header.firstBlock, inner: header.firstInner })
  const located = await blob.run(executor, locateUnplacedJob, { begin: hint }, { signal })
  yield cutLocated(located)
  // Only the file's own end shows that these are all of them.
  if (!alignment.complete) throw noMarker(alignment)
}

function noMarker({ identity }: Alignment): EngineError {
  return damage('file has no end marker; it ends', identity.size)
}
