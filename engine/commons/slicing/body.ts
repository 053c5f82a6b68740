import type { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import { EngineError } from '../../shared/errors.ts'
import { pullAhead } from './ahead.ts'
import type { Alignment } from './alignment.ts'
import { EXTENT_BYTES } from './buffers.ts'
import { copyExtents } from './copy.ts'
import { edgeJob, formatOfSteps } from './edge.ts'
import { type ExtentContext, type Item, itemOf } from './extent.ts'
import type { FinishedEdges } from './finished-edges.ts'
import type { MadePiece, Piece } from './pieces.ts'
import type { Chunk } from './plan.ts'

/** Length from which a copy is long enough to leave threads and disk to shorter slices. */
const LONG_COPY_BYTES = 4 * EXTENT_BYTES

export interface BodyContext extends ExtentContext {
  readonly edges: BufferPool
  readonly finished: FinishedEdges
  /** State that the producer of the current item sets. */
  readonly pace: { isLongCopy: boolean }
  readonly ahead: () => number
}

/** Parts of a body, in the order in which they are sent. */
export interface Parts {
  /** Bytes to send as soon as the first item is verified. */
  readonly head: readonly Uint8Array[]
  readonly items: AsyncIterable<Chunk | Piece> | Iterable<Chunk | Piece>
  /** Bytes to send last, if everything before them succeeded. */
  readonly tail: Uint8Array
  /** Range of the items' bytes to send: bytes to skip, and the length. */
  readonly window?: { readonly skip: number; readonly length: number } | undefined
}

const NOTHING = new Uint8Array(0)

/** Converts pieces to the parts of a body. The generated pieces at the start and the end need no verification. */
export function partsOf(pieces: readonly Piece[], window?: Parts['window']): Parts {
  const isMade = (piece: Piece): piece is MadePiece => piece.kind === 'made'
  const copy = pieces.findIndex((piece) => !isMade(piece))
  const leading = pieces.slice(0, copy === -1 ? -1 : copy).filter(isMade)
  const rest = pieces.slice(leading.length)
  const last = rest.at(-1)
  const isTail = last !== undefined && isMade(last)
  return {
    head: leading.map(({ bytes }) => bytes),
    items: isTail ? rest.slice(0, -1) : rest,
    tail: isTail ? last.bytes : NOTHING,
    window,
  }
}

/** The body of a running slice. */
export interface Body {
  /** Produces the first item, so that an immediate failure is known before anything is sent. */
  begin(): Promise<void>
  chunks(): AsyncGenerator<Uint8Array>
  /** Whether everything was read. */
  readonly isWhole: boolean
  /** Resolves when no work is running any more. The context's signal stops running work. */
  end(): Promise<void>
}

export function bodyOf(alignment: Alignment, parts: Parts, context: BodyContext): Body {
  const { signal } = context
  const items = pullAhead(makeItems(alignment, parts.items, context), context.ahead, discard)
  let next: Item | undefined
  let isWhole = false
  const released = () => {
    const item = next
    next = undefined
    if (item) discard(item)
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield* parts.head
    while (next) {
      const { parts: proven, failure } = await next.bytes
      for (const part of proven) {
        // After the body is disposed of, its memory may belong to another slice.
        signal.throwIfAborted()
        if (part.length > 0) yield part
      }
      if (failure) throw failure
      released()
      next = (await items.next()).value
    }
    // A slice that was disposed of is not complete.
    signal.throwIfAborted()
    yield parts.tail
  }
  return {
    async begin() {
      next = (await items.next()).value
      const proven = await next?.bytes
      if (proven?.failure) throw proven.failure
    },
    async *chunks() {
      yield* windowed(whole(), parts.window)
      isWhole = true
    },
    get isWhole() {
      return isWhole
    },
    async end() {
      await items.return(undefined)
      // The buffers are released only now, because until here items may still be written to them.
      released()
    },
  }
}

async function* windowed(
  chunks: AsyncGenerator<Uint8Array>,
  { skip, length }: NonNullable<Parts['window']> = { skip: 0, length: Infinity },
): AsyncGenerator<Uint8Array> {
  let behind = skip
  let left = length
  for await (const chunk of chunks) {
    const wanted = chunk.subarray(behind, behind + left)
    behind = Math.max(0, behind - chunk.length)
    left -= wanted.length
    if (wanted.length > 0) yield wanted
  }
  if (left > 0 && left !== Infinity) {
    throw new EngineError('corrupt_source', 'the alignment file became another while it was read')
  }
}

function discard(item: Item): void {
  item.bytes.catch(() => {})
  item.release()
}

async function* makeItems(
  alignment: Alignment,
  parts: Parts['items'],
  context: BodyContext,
): AsyncGenerator<Item> {
  const { executor, edges, finished, pace, signal } = context
  const { blob } = alignment
  for await (const part of parts) {
    signal.throwIfAborted()
    const isLong = part.kind === 'copy' && part.end - part.start >= LONG_COPY_BYTES
    // Remote files have a pace of their own and gain from more concurrent requests.
    pace.isLongCopy = isLong && blob.isLocal
    if (part.kind === 'copy') {
      yield* copyExtents(alignment, part, context)
      continue
    }
    if (part.kind === 'made') {
      yield madeItem(part)
      continue
    }
    const { steps } = part
    const known = finished.find(alignment, steps)
    if (known) {
      yield madeItem(known)
      continue
    }
    const buffer = edges.take()
    const target = new Uint8Array(buffer.buffer, 0, buffer.length)
    const input = { format: formatOfSteps(alignment.header, steps), steps, target }
    const made = blob.run(executor, edgeJob, input, { signal })
    const bytes = made.then(({ length, overflow, places }) => {
      const bytes = overflow ?? buffer.subarray(0, length)
      finished.keep(alignment, steps, { bytes, places })
      return { parts: [bytes], failure: undefined }
    })
    yield itemOf(bytes, buffer, edges)
  }
}

function madeItem({ bytes }: Pick<MadePiece, 'bytes'>): Item {
  return { bytes: Promise.resolve({ parts: [bytes], failure: undefined }), release: () => {} }
}
