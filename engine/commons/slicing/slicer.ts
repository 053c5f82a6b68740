import { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import { Gate } from '../../shared/concurrency/gate.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
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
import { FinishedEdges } from './finished-edges.ts'
import { makePieces } from './make-pieces.ts'
import type { AlignmentParts } from './parts.ts'
import { Layout, type Piece } from './pieces.ts'
import { type Chunk, joinCuts } from './plan.ts'
import { indexOfSlice } from './slice-index.ts'

export interface SliceLimits {
  /** Number of concurrent slices. */
  readonly activeSlices: number
  /** Number of slices that may wait for their turn. */
  readonly waitingSlices: number
  /** Number of files kept open. */
  readonly openFiles: number
  /** Memory for the directories and indexes of open files, in bytes. */
  readonly cacheBytes: number
  /** Maximum bytes of edges in one planned slice (data-commons.md 11.39). */
  readonly planBytes: number
  /** Maximum bytes of edges in all planned slices. */
  readonly allPlanBytes: number
}

export const DEFAULT_LIMITS: SliceLimits = {
  activeSlices: 64,
  waitingSlices: 512,
  openFiles: 256,
  cacheBytes: 512 * 1024 * 1024,
  // 160 separate regions at a depth of 30. A ticket can inline as much without a long wait.
  planBytes: 4 << 20,
  allPlanBytes: 256 << 20,
}

export interface SliceOptions {
  readonly signal?: AbortSignal | undefined
  /** `auto` uses the block directory if it is current, otherwise the index. The other values are for tests. */
  readonly locate?: 'auto' | 'directory' | 'index'
}

/** Selects all records in file order. Works without index, block directory and sort order. */
export const WHOLE = 'whole'

export interface RecordsOptions extends SliceOptions {
  /** Maximum number of bytes of blocks to copy. A larger slice is rejected before any are read. */
  readonly maxCopied?: number | undefined
}

/** The records of a slice. */
export interface SlicedRecords extends ByteStream {
  /** The file, as it was when the slice opened it. */
  readonly alignment: Alignment
}

export interface PlanOptions extends SliceOptions {
  /** Whether the index of the slice will be requested. */
  readonly isIndexed?: boolean | undefined
}

/**
 * A slice whose bytes are all determined before the first is sent. It keeps the file open and occupies a slot,
 * so its owner must dispose of it, or of the stream that it opens, which has the same effect.
 */
export interface SlicePlan extends AsyncDisposable {
  /**
   * The whole slice in order: header, then edges and copies, then the end marker. Undefined if the edges are too
   * many to keep in memory, or if the blocks of a copied piece are not known.
   */
  readonly pieces: readonly Piece[] | undefined
  /** Length of the slice in bytes. Undefined if the pieces are. */
  readonly length: number | undefined
  /** Identifies the bytes of the slice, on every node. Undefined if the length is. */
  readonly fingerprint: string | undefined
  /**
   * Streams the slice, or a byte range of it if the length is known. May be called once. Copied blocks are
   * verified as they are sent, as for an unplanned slice.
   * @throws EngineError corrupt_source, unavailable
   */
  open(span?: Range): Promise<ByteStream>
  /**
   * Returns the index of a slice that was planned with `isIndexed`.
   * @throws EngineError bad_input for a kind that the format does not have, no_index without a block
   * directory, too_large without a length
   */
  indexed(kind: IndexKind): Promise<Uint8Array<ArrayBuffer>>
}

/** Items in progress per slice, of up to 2 MB each: enough to keep threads and disk busy. */
const MAX_AHEAD = 8
const MIN_AHEAD = 1
const LONG_COPY_AHEAD = 2
/** Target of items in progress over all slices. With many slices, each looks less far ahead. */
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
  /** Releases the file and the slot. Repeated calls do nothing. */
  readonly release: () => void
}

/**
 * Slices files of sorted records by copying the blocks inside an interval unchanged. Owns the open files, the
 * buffers and the queue of slices.
 */
export class Slicer {
  readonly #cache: AlignmentCache
  readonly #shared: Pick<BodyContext, 'executor' | 'buffers' | 'edges' | 'finished'>
  readonly #gate: Gate
  readonly #limits: SliceLimits
  readonly #turns: LoopTurns
  #bytes = 0
  /** Total bytes of edges in planned slices. */
  #edgeBytes = 0

  constructor(
    executor: Executor,
    limits: SliceLimits,
    onOpen?: (alignment: Alignment) => void,
    turns = new LoopTurns(),
  ) {
    this.#turns = turns
    this.#shared = {
      executor,
      buffers: new BufferPool(EXTENT_BYTES),
      edges: new BufferPool(EDGE_BYTES),
      finished: new FinishedEdges(),
    }
    this.#cache = new AlignmentCache(executor, limits, onOpen)
    this.#limits = limits
    this.#gate = new Gate(limits.activeSlices, limits.waitingSlices, TOO_MANY_SLICES)
  }

  /**
   * Opens the file, lets `select` choose from its references, plans the slice and produces its first part. All
   * errors in the request are thrown before the promise resolves. The body ends normally only after the end
   * marker. If the file is damaged, it throws EngineError corrupt_source after a valid prefix.
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
   * Slices as `slice` does, but sends only the blocks of records, without header and end marker. A caller that
   * stops before the end of the body must dispose of it.
   * @throws EngineError like slice; too_large
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
   * Opens the file, plans the slice and builds all its edges, so that its length is known. If the edges are too
   * many to keep in memory, or the blocks of its copies are not known, the slice is streamed as `slice` does,
   * starting with the edges built so far.
   * @throws EngineError like slice
   */
  async plan(parts: AlignmentParts, select: Select, options: PlanOptions = {}): Promise<SlicePlan> {
    const begun = await this.#begin(parts, select, options)
    const { alignment, index, selection, context } = begun
    const { planBytes, allPlanBytes } = this.#limits
    const making = makePieces(alignment, begun.chunks, {
      ...context,
      turns: this.#turns,
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
        fingerprint: layout && (await fingerprintOf(alignment, index, selection, this.#turns)),
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
   * Opens and closes the file and its index, which shows the errors that any slice would have.
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

  /** Returns the index if this slice needs one. */
  async #indexFor(lease: Lease, locate: SliceOptions['locate']): Promise<BinIndex | undefined> {
    if (locate !== 'index' && lease.alignment.directory) return undefined
    if (locate === 'directory') throw new EngineError('no_index', 'file has no block directory')
    return lease.index()
  }

  /**
   * Opens the file and starts planning.
   * @throws EngineError busy, unavailable, no_index, corrupt_source, or what `select` throws
   */
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
        : cutsOf(alignment, index, selection, { ...context, turns: this.#turns })
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
    return { ...this.#shared, pace, ahead, signal }
  }

  /** @param behind final action, which gives back what `begun` holds */
  async #send(
    begun: Begun,
    parts: Parts,
    behind: () => void | Promise<void> = begun.release,
  ): Promise<ByteStream> {
    const { alignment, context, stop } = begun
    const body = bodyOf(alignment, parts, context)
    const end = endOnce(async () => {
      // Creating an error is costly. After the whole body has been sent, there is nothing left to stop.
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

  /** Forgets a file that object storage no longer returns, because another file may appear under its key. */
  #doubt({ parts, blob }: Alignment, error: unknown): void {
    const isUnavailable = error instanceof EngineError && error.code === 'unavailable'
    if (isUnavailable && !blob.isLocal) this.#cache.forget(parts.key)
  }

  /** Forgets a file. The next slice of it opens the file again. */
  forget(key: string): void {
    this.#cache.forget(key)
  }

  /** Returns metrics. */
  load() {
    const { buffers, edges, finished } = this.#shared
    return {
      activeSlices: this.#gate.inside,
      queuedSlices: this.#gate.waiting,
      bytesSliced: this.#bytes,
      openFiles: this.#cache.openFiles,
      bufferBytes: buffers.bytes + edges.bytes + finished.bytes + this.#edgeBytes,
    }
  }

  /** Closes the files that are not in use. Each other file is closed when its last slice ends. */
  async close(): Promise<void> {
    await this.#cache.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const NOTHING = new Uint8Array(0)
const NO_SELECTION: Selection = { intervals: [], unplaced: false }

/** Returns the pieces planned so far, followed by those that are still being made. */
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
