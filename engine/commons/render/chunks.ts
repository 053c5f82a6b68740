import type { BufferLease } from '../../shared/concurrency/buffer-pool.ts'
import { inOrder } from '../../shared/concurrency/in-order.ts'
import { leasedChunks } from '../../shared/concurrency/leased-chunks.ts'
import { arraysOf } from '../release/arrays.ts'
import {
  type ChunkFormat,
  type ChunkInput,
  type ChunkOutput,
  chunkJob,
  renderChunk,
  renderColumns,
} from './chunk.ts'
import { ChunkSizes } from './chunk-sizes.ts'
import { isColumns } from './column-sources.ts'
import { hasReverse, isSmall, type RenderContext } from './context.ts'
import type { LinkedRecords } from './linked-records.ts'
import { gatherLines, linksToPrepare } from './prepare-links.ts'
import type { Projection } from './projection.ts'
import type { RecordHandles } from './records.ts'

/** Job priority of all chunks after the first, so that small responses overtake large ones. */
const LATER_PRIORITY = 1

/** A range of the rows of a response, 0-based and half-open. */
export interface Chunk {
  readonly start: number
  readonly end: number
}

/** A part of a response. Its bytes are valid until the next part is requested. */
export interface RenderedChunk extends Chunk, ChunkOutput {}

interface ChunkRun {
  readonly signal: AbortSignal | undefined
  /** Shared memory for the bytes. */
  readonly target?: Uint8Array | undefined
}

type Linked = Readonly<Record<string, LinkedRecords>>

/** Renders the rows of a response chunk by chunk, in worker threads where that is faster. */
export class ChunkRenderer {
  readonly #projection: Projection
  readonly #rows: Uint32Array
  readonly #handles: RecordHandles
  readonly #context: RenderContext
  readonly #large: boolean
  readonly #inline: boolean
  #linked: Promise<Linked> | undefined

  /** @param isCopied see isSmall */
  constructor(
    projection: Projection,
    rows: Uint32Array,
    handles: RecordHandles,
    context: RenderContext,
    { isCopied = false }: { readonly isCopied?: boolean } = {},
  ) {
    this.#projection = projection
    this.#rows = rows
    this.#handles = handles
    this.#context = context
    this.#large = hasReverse(projection)
    this.#inline = isSmall(projection, rows, handles, isCopied)
  }

  /** Whether rows are written from columns, so that a second pass takes little time. */
  get isCheap(): boolean {
    return this.#handles.plan !== undefined
  }

  /** Whether all rows are rendered on the calling thread. */
  get isInline(): boolean {
    return this.#inline
  }

  /** Renders all rows in order, in chunks that take a few milliseconds each. */
  async *all(formatOf: (chunk: Chunk) => ChunkFormat): AsyncGenerator<RenderedChunk, undefined> {
    if (this.#inline) return yield* this.#inTurn(formatOf)
    const sizes = new ChunkSizes({
      large: this.#large,
      isColumns: this.#handles.plan !== undefined,
    })
    let start = 0
    const next = (signal: AbortSignal, buffers: BufferLease) => {
      if (start >= this.#rows.length) return undefined
      const chunk = { start, end: Math.min(start + sizes.next(), this.#rows.length) }
      start = chunk.end
      const target = buffers.takeKept()
      return this.#render(chunk, formatOf(chunk), { signal, target }).then((rendered) => {
        sizes.measured(chunk.end - chunk.start, rendered.work)
        return { chunk: rendered, target }
      })
    }
    yield* leasedChunks(this.#context.release.buffers, next, this.#ahead())
  }

  /** Renders a small response as one chunk on the calling thread. */
  async *#inTurn(
    formatOf: (chunk: Chunk) => ChunkFormat,
  ): AsyncGenerator<RenderedChunk, undefined> {
    const { signal } = this.#context
    signal?.throwIfAborted()
    const chunk = { start: 0, end: this.#rows.length }
    if (chunk.end > 0) yield this.#render(chunk, formatOf(chunk), { signal })
  }

  /** Renders chunks with given bounds. A chunk that `atHand` returns is reused. */
  async *again(
    chunks: readonly Chunk[],
    formatOf: (chunk: Chunk) => ChunkFormat,
    atHand?: (chunk: Chunk) => Uint8Array | undefined,
  ): AsyncGenerator<Uint8Array, undefined> {
    for await (const { bytes } of this.each(chunks, formatOf, atHand)) yield bytes
  }

  /** Renders chunks with given bounds, each into memory of its own. */
  async *each(
    chunks: readonly Chunk[],
    formatOf: (chunk: Chunk) => ChunkFormat,
    atHand: (chunk: Chunk) => Uint8Array | undefined = () => undefined,
  ): AsyncGenerator<RenderedChunk, undefined> {
    const rest = chunks.values()
    const next = (signal: AbortSignal) => {
      const { value: chunk } = rest.next()
      if (!chunk) return undefined
      const bytes = atHand(chunk)
      if (bytes) return Promise.resolve({ ...chunk, bytes, work: bytes.length })
      return this.#render(chunk, formatOf(chunk), { signal })
    }
    yield* inOrder(next, this.#ahead())
  }

  #ahead() {
    const { executor, signal } = this.#context
    return { ahead: this.#inline ? 1 : executor.parallelism * 2, signal }
  }

  async #render(
    chunk: Chunk,
    format: ChunkFormat,
    { signal, target }: ChunkRun,
  ): Promise<RenderedChunk> {
    const rows = this.#rows.slice(chunk.start, chunk.end)
    if (this.#inline) return { ...chunk, ...(await this.#here({ rows, format })) }
    const input = { ...this.#handles, projection: this.#projection, rows, format, target }
    // The first chunk is rendered without waiting for prepared links, which only speed up later chunks.
    const isFirst = chunk.start === 0
    const linked = isFirst || this.#handles.plan ? {} : await this.#prepared(signal)
    const options = { signal, priority: isFirst ? 0 : LATER_PRIORITY }
    const output = await this.#context.executor.run(chunkJob, { ...input, linked }, options)
    return { ...chunk, ...output }
  }

  #here(part: Pick<ChunkInput, 'rows' | 'format'>): Promise<ChunkOutput> {
    const { scratch, columns } = this.#context
    const [projection, handles] = [this.#projection, this.#handles]
    if (!isColumns(handles)) return renderChunk({ ...handles, projection, ...part }, scratch)
    return renderColumns(part, columns.tableOf(projection, handles, this.#context), scratch)
  }

  /** Prepares the links once for all callers, with the first one's signal. If that aborts, all callers fail. */
  #prepared(signal: AbortSignal | undefined): Promise<Linked> {
    this.#linked ??= this.#prepare(signal)
    return this.#linked
  }

  async #prepare(signal: AbortSignal | undefined): Promise<Linked> {
    const arrays = arraysOf(this.#handles.loaded)
    const linked: Record<string, LinkedRecords> = {}
    for (const { link, rows } of linksToPrepare(this.#projection, this.#rows, arrays)) {
      const context = { ...this.#context, signal }
      const chunks = new ChunkRenderer(link.target, rows, this.#handles, context)
      const records = await gatherLines(
        rows,
        chunks.all(() => ({ kind: 'ndjson' })),
      )
      if (records) linked[link.at] = records
    }
    return linked
  }
}
