import { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import { Gate } from '../../shared/concurrency/gate.ts'
import { onlyOnce } from '../../shared/concurrency/only-once.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import type { BinIndex } from '../../shared/formats/bam-index.ts'
import type { IndexKind } from '../../shared/formats/bam-index-writer.ts'
import { END_MARKER } from '../../shared/formats/bgzf.ts'
import { type ByteStream, disposed, endOnce } from '../../shared/streams/byte-stream.ts'
import type { Alignment } from './alignment.ts'
import { AlignmentCache, type Lease } from './alignment-cache.ts'
import { type Body, type BodyContext, bodyOf, type Parts, partsOf } from './body.ts'
import { EDGE_BYTES, EXTENT_BYTES } from './buffers.ts'
import { boundedCuts, cutsOf, type Selection, wholeCut } from './cuts.ts'
import type { Range } from './extent.ts'
import { fingerprintOf } from './fingerprint.ts'
import { makePieces } from './make-pieces.ts'
import type { AlignmentParts } from './parts.ts'
import { Layout, type Piece } from './pieces.ts'
import { type Chunk, joinCuts } from './plan.ts'
import { indexOfSlice } from './slice-index.ts'

export interface SliceLimits {
  /** Slices made at the same time, and slices that may wait for that. */
  readonly activeSlices: number
  readonly waitingSlices: number
  /** Open files and bytes of their directories and indexes that are kept. */
  readonly openFiles: number
  readonly cacheBytes: number
  /** Bytes of edges that one planned slice holds, and all of them (data-commons.md 11.39). */
  readonly planBytes: number
  readonly allPlanBytes: number
}

export const DEFAULT_LIMITS: SliceLimits = {
  activeSlices: 64,
  waitingSlices: 512,
  openFiles: 256,
  cacheBytes: 512 * 1024 * 1024,
  // What a ticket inlines, and no wait that is long: 160 separate regions at a depth of 30.
  planBytes: 4 << 20,
  allPlanBytes: 256 << 20,
}

export interface SliceOptions {
  readonly signal?: AbortSignal | undefined
  /** `auto` uses the block directory if there is a current one. The others are for tests. */
  readonly locate?: 'auto' | 'directory' | 'index'
}

/** All records as they come, of a file in any order: neither index nor directory is needed for that. */
export const WHOLE = 'whole'

export interface RecordsOptions extends SliceOptions {
  /** Bytes of blocks that may be copied; what would be more is refused before any of them is read. */
  readonly maxCopied?: number | undefined
}

/** The records of a slice. */
export interface SlicedRecords extends ByteStream {
  /** The file as it was opened for them. */
  readonly alignment: Alignment
}

export interface PlanOptions extends SliceOptions {
  /** For who asks for the index of the slice. */
  readonly isIndexed?: boolean | undefined
}

/**
 * A slice of which everything is known before its first byte. It holds the file and a place among
 * the slices: whoever gets it disposes of it, or of the stream that it opens, which is the same.
 */
export interface SlicePlan extends AsyncDisposable {
  /**
   * All of the slice in its order: its header, then edges and copies, then the end marker. Undefined
   * when its edges are more than can be held, or blocks of a copy before its end are not known.
   */
  readonly pieces: readonly Piece[] | undefined
  /** Bytes of the slice; known where all pieces are. */
  readonly length: number | undefined
  /** Equal for equal bytes, on every node; known where the length is. */
  readonly fingerprint: string | undefined
  /**
   * The bytes of the slice, or some of them where the length is known. May be called once. What is
   * copied is proved as it is sent, as that of a slice that was not planned.
   * @throws EngineError corrupt_source, unavailable
   */
  open(span?: Range): Promise<ByteStream>
  /**
   * The index of the slice, of one that was planned for it.
   * @throws EngineError bad_input for a kind that its format does not have, no_index without a block
   *   directory, too_large without a length
   */
  indexed(kind: IndexKind): Promise<Uint8Array<ArrayBuffer>>
}

/** Items of one slice under way, each of up to two megabytes: enough to keep threads and disk busy. */
const MAX_AHEAD = 8
const MIN_AHEAD = 1
const LONG_COPY_AHEAD = 2
/** Items of all slices under way that are aimed at; many slices at a time look less far ahead. */
const ALL_AHEAD = 64

const TOO_MANY_SLICES = 'too many slices are being made; try again in a moment'

export type Select = (alignment: Alignment) => Selection | Promise<Selection>

/** A slice whose file is open and whose selection is made. */
interface Begun {
  readonly alignment: Alignment
  readonly index: BinIndex | undefined
  readonly selection: Selection
  readonly context: BodyContext
  readonly chunks: AsyncGenerator<Chunk>
  readonly stop: AbortController
  /** Gives back the file and the place (idempotent). */
  readonly release: () => void
}

/**
 * Makes slices of files of sorted records by copying the blocks between an interval's ends as they are.
 * Owns the open files, the buffers and the queue of slices.
 */
export class Slicer {
  readonly #cache: AlignmentCache
  readonly #shared: Pick<BodyContext, 'executor' | 'buffers' | 'edges'>
  readonly #gate: Gate
  readonly #limits: SliceLimits
  #bytes = 0
  /** Edges of planned slices that are held. */
  #edgeBytes = 0

  constructor(executor: Executor, limits: SliceLimits, onOpen?: (alignment: Alignment) => void) {
    this.#shared = {
      executor,
      buffers: new BufferPool(EXTENT_BYTES),
      edges: new BufferPool(EDGE_BYTES),
    }
    this.#cache = new AlignmentCache(executor, limits, onOpen)
    this.#limits = limits
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
    select: Select,
    options: SliceOptions = {},
  ): Promise<ByteStream> {
    const begun = await this.#begin(parts, select, options)
    const { alignment, chunks } = begun
    return this.#send(begun, { head: [alignment.header.packed], items: chunks, tail: END_MARKER })
  }

  /**
   * As slice, the blocks of the records alone: without the header and the end marker. Who ends before the
   * body does disposes of it.
   * @throws EngineError as slice; too_large
   */
  async records(
    parts: AlignmentParts,
    select: Select | typeof WHOLE,
    options: RecordsOptions = {},
  ): Promise<SlicedRecords> {
    const begun = await this.#begin(parts, select, options)
    const { alignment, chunks } = begun
    const sent = await this.#send(begun, { head: [], items: chunks, tail: NOTHING })
    return { alignment, ...sent }
  }

  /**
   * Opens the file, plans the slice and makes all of its edges, so that its length is known. Where
   * they are too many to be held, or the blocks of its copies cannot be known, it is a slice as
   * `slice` makes it: what has been made is its beginning.
   * @throws EngineError as slice
   */
  async plan(parts: AlignmentParts, select: Select, options: PlanOptions = {}): Promise<SlicePlan> {
    const begun = await this.#begin(parts, select, options)
    const { alignment, index, selection, context } = begun
    const { planBytes, allPlanBytes } = this.#limits
    const making = makePieces(alignment, begun.chunks, {
      ...context,
      keepsOrigins: options.isIndexed,
    })
    const pieces: Piece[] = [{ kind: 'made', bytes: alignment.header.packed }]
    let edgeBytes = 0
    let isEnded = false
    const end = endOnce(async () => {
      if (!isEnded) begun.stop.abort(disposed())
      await making.return(undefined)
      this.#edgeBytes -= edgeBytes
      begun.release()
    })
    try {
      let isKnown = true
      while (!isEnded && isKnown) {
        const { value: piece, done } = await making.next()
        isEnded = done === true
        if (!piece) break
        pieces.push(piece)
        if (piece.kind === 'copy') {
          isKnown &&= piece.blocks !== undefined
          continue
        }
        edgeBytes += piece.bytes.length
        this.#edgeBytes += piece.bytes.length
        if (edgeBytes > planBytes || this.#edgeBytes > allPlanBytes) break
      }
      if (isEnded) pieces.push({ kind: 'made', bytes: END_MARKER })
      const layout = isEnded ? new Layout(pieces) : undefined
      const partsFor = (span: Range | undefined) => {
        return layout ? partsWithin(layout, span) : partsUntilNow(pieces, making)
      }
      return {
        pieces: layout?.pieces,
        length: layout?.length,
        fingerprint: layout && fingerprintOf(alignment, index, selection),
        indexed: (kind) => indexOfSlice(alignment, layout, kind),
        open: (span) => this.#send(begun, partsFor(span), end),
        [Symbol.asyncDispose]: end,
      }
    } catch (error) {
      await end()
      this.#doubt(alignment, error)
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

  /** @throws EngineError busy, unavailable, no_index, corrupt_source, or what `select` throws */
  async #begin(
    parts: AlignmentParts,
    select: Select | typeof WHOLE,
    { signal, locate = 'auto', maxCopied }: RecordsOptions,
  ): Promise<Begun> {
    const leave = await this.#gate.enter(signal)
    let lease: Lease | undefined
    try {
      lease = await this.#cache.acquire(parts)
      const held = lease
      const { alignment } = lease
      const isWhole = select === WHOLE
      const index = isWhole ? undefined : await this.#indexFor(lease, locate)
      const selection = isWhole ? NO_SELECTION : await select(alignment)
      const stop = new AbortController()
      const context = this.#context(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal)
      const cuts = isWhole
        ? wholeCut(alignment, context)
        : cutsOf(alignment, index, selection, context)
      const chunks = joinCuts(maxCopied === undefined ? cuts : boundedCuts(cuts, maxCopied))
      const release = onlyOnce(() => {
        held.release()
        leave()
      })
      return { alignment, index, selection, context, chunks, stop, release }
    } catch (error) {
      if (lease) this.#doubt(lease.alignment, error)
      lease?.release()
      leave()
      throw error
    }
  }

  #context(signal: AbortSignal): BodyContext {
    const pace = { isLongCopy: false }
    const ahead = () => {
      const most = pace.isLongCopy ? LONG_COPY_AHEAD : MAX_AHEAD
      const share = Math.floor(ALL_AHEAD / this.#gate.inside)
      return Math.min(Math.max(share, MIN_AHEAD), most)
    }
    const { executor, buffers, edges } = this.#shared
    return { executor, buffers, edges, pace, ahead, signal }
  }

  /** @param behind what to do at the end besides; gives back what `begun` holds */
  async #send(
    begun: Begun,
    parts: Parts,
    behind: () => void | Promise<void> = begun.release,
  ): Promise<ByteStream> {
    const { alignment, context, stop } = begun
    const body = bodyOf(alignment, parts, context)
    const end = endOnce(async () => {
      // An error is dear, and nothing is left to be stopped when all was given out.
      if (!body.isWhole) stop.abort(disposed())
      await body.end()
      await behind()
    })
    try {
      await body.begin()
    } catch (error) {
      await end()
      this.#doubt(alignment, error)
      throw error
    }
    return { body: this.#counted(alignment, body, end), [Symbol.asyncDispose]: end }
  }

  async *#counted(
    alignment: Alignment,
    body: Body,
    end: () => Promise<void>,
  ): AsyncGenerator<Uint8Array> {
    try {
      for await (const bytes of body.chunks()) {
        this.#bytes += bytes.length
        yield bytes
      }
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
      bufferBytes: this.#shared.buffers.bytes + this.#shared.edges.bytes + this.#edgeBytes,
    }
  }

  /** Closes the files that no slice uses, and the others as soon as their slices end. */
  async close(): Promise<void> {
    await this.#cache.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const NOTHING = new Uint8Array(0)
const NO_SELECTION: Selection = { intervals: [], unplaced: false }

/** What is planned, and then what is still being planned. */
function partsUntilNow(pieces: readonly Piece[], making: AsyncGenerator<Piece>): Parts {
  const { head, items, tail } = partsOf([...pieces, { kind: 'made', bytes: END_MARKER }])
  async function* going() {
    yield* items
    yield* making
  }
  return { head, items: going(), tail }
}

function partsWithin(layout: Layout, span: Range | undefined): Parts {
  if (!span) return partsOf(layout.pieces)
  const { pieces, skip } = layout.piecesFor(span)
  return partsOf(pieces, { skip, length: span.end - span.start })
}
