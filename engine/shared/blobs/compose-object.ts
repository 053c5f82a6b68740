import { inOrder } from '../concurrency/in-order.ts'
import { EngineError } from '../errors.ts'
import type { CopiedPart, ObjectClient } from './object-client.ts'
import { partBytesOf } from './upload.ts'

/** Smallest part that S3 accepts, except for the last one. */
const MIN_PIECE_BYTES = 5 << 20
/** Bytes to copy in one request, bounded because the storage may stay silent for 20 s while it copies. */
const PIECE_BYTES = 128 * 2 ** 20
/** Maximum number of bytes of one copy request. S3 allows 5 GiB. */
const MAX_PIECE_BYTES = 4 * 2 ** 30
const MAX_PIECES = 10_000
/** Size limit of an S3 object: 5 TiB. */
const MAX_OBJECT_BYTES = 5 * 2 ** 40
/** Number of concurrent requests for parts. AHEAD_BYTES lowers it if parts pass through memory. */
const PIECES_AHEAD = 4
const AHEAD_BYTES = 64 << 20

/** An object that becomes a part of the composed object. */
export interface ComposedSource {
  readonly key: string
  readonly entityTag: string
  readonly size: number
}

/** Byte range of one source, 0-based and half-open. */
interface SourceRange {
  readonly source: number
  readonly start: number
  readonly end: number
}

/** One part of the new object. The storage itself copies a single range. This process joins several ranges. */
export type Piece = readonly SourceRange[]

/**
 * Divides the concatenated sources into parts that S3 accepts: at least 5 MiB each except the last, and at most
 * 4 GiB. A smaller range is joined with the one after it.
 * @param sizes size of each source in bytes
 * @throws EngineError `bad_input` if an object cannot be that large
 */
export function planPieces(sizes: readonly number[]): readonly Piece[] {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total > MAX_OBJECT_BYTES) throw tooMuch(`${total} bytes`)
  for (let most = PIECE_BYTES; most <= MAX_PIECE_BYTES; most *= 2) {
    const pieces = cut(sizes, most)
    if (pieces.length <= MAX_PIECES) return pieces
  }
  throw tooMuch(`${sizes.length} parts, some of them beyond 4 GiB,`)
}

function cut(sizes: readonly number[], most: number): readonly Piece[] {
  const pieces: Piece[] = []
  let held: SourceRange[] = []
  let heldBytes = 0
  const hold = (range: SourceRange) => {
    held.push(range)
    heldBytes += range.end - range.start
    if (heldBytes >= MIN_PIECE_BYTES) flush()
  }
  const flush = () => {
    if (heldBytes > 0) pieces.push(held)
    held = []
    heldBytes = 0
  }
  for (const [source, size] of sizes.entries()) {
    let start = heldBytes === 0 ? 0 : Math.min(size, MIN_PIECE_BYTES - heldBytes)
    if (start > 0) hold({ source, start: 0, end: start })
    const left = size - start
    if (left >= MIN_PIECE_BYTES) {
      const count = Math.ceil(left / most)
      for (let i = 1; i <= count; i++) {
        const end = size - Math.floor((left * (count - i)) / count)
        pieces.push([{ source, start, end }])
        start = end
      }
    } else if (left > 0) hold({ source, start, end: size })
  }
  flush()
  return pieces
}

/** Plans the parts for a server that cannot copy, so that all bytes pass through this process. */
function planBytes(sizes: readonly number[]): readonly Piece[] {
  const most = partBytesOf(sizes.reduce((sum, size) => sum + size, 0))
  const pieces: Piece[] = []
  let held: SourceRange[] = []
  let room = most
  for (const [source, size] of sizes.entries()) {
    for (let start = 0; start < size; ) {
      const end = Math.min(size, start + room)
      held.push({ source, start, end })
      room -= end - start
      start = end
      if (room > 0) continue
      pieces.push(held)
      held = []
      room = most
    }
  }
  if (held.length > 0) pieces.push(held)
  return pieces
}

interface ComposeOptions {
  readonly signal: AbortSignal
  /** Called with the upload id before any bytes are sent, so that the caller can abort the upload after a crash. */
  readonly onBegun: (uploadId: string) => Promise<void>
}

/**
 * Concatenates objects into a new one. The storage copies parts itself. Only parts smaller than 5 MiB pass
 * through this process, or all parts if the storage cannot copy by entity tag. The key stays empty until the
 * object is complete.
 * @throws EngineError `unavailable`, also if a source has changed; the signal's reason
 */
export async function composeObject(
  client: ObjectClient,
  key: string,
  sources: readonly ComposedSource[],
  options: ComposeOptions,
): Promise<void> {
  const sizes = sources.map(({ size }) => size)
  const pieces = planPieces(sizes)
  const isDone = await new Composition(client, key, sources, options, true).run(pieces)
  if (!isDone) await new Composition(client, key, sources, options, false).run(planBytes(sizes))
}

class Composition {
  readonly #client: ObjectClient
  readonly #key: string
  readonly #sources: readonly ComposedSource[]
  readonly #options: ComposeOptions
  readonly #copies: boolean

  /** @param copies whether the storage should copy parts where possible */
  constructor(
    client: ObjectClient,
    key: string,
    sources: readonly ComposedSource[],
    options: ComposeOptions,
    copies: boolean,
  ) {
    this.#client = client
    this.#key = key
    this.#sources = sources
    this.#options = options
    this.#copies = copies
  }

  /** @returns false if the storage cannot copy */
  async run(pieces: readonly Piece[]): Promise<boolean> {
    const [first = [], second] = pieces
    if (second) return this.#runParts(pieces)
    const { signal } = this.#options
    const whole = this.#copied(first)
    if (whole) {
      if (!(await this.#client.copy(whole, this.#key, signal))) return false
      if (await this.#areUnchanged(pieces)) return true
      await this.#client.remove(this.#key)
      return false
    }
    await this.#client.put(this.#key, await this.#read(first, signal), signal)
    return true
  }

  async #runParts(pieces: readonly Piece[]): Promise<boolean> {
    const { signal, onBegun } = this.#options
    const uploadId = await this.#client.beginUpload(this.#key)
    try {
      await onBegun(uploadId)
      const ahead = Math.min(PIECES_AHEAD, Math.floor(AHEAD_BYTES / this.#mostRead(pieces)))
      let started = 0
      const sent = inOrder(
        (stop) => {
          const piece = pieces[started]
          return piece && this.#send({ key: this.#key, uploadId, number: ++started }, piece, stop)
        },
        { ahead, signal },
      )
      const tags: string[] = []
      for await (const tag of sent) {
        if (tag === undefined) break
        tags.push(tag)
      }
      const isDone = tags.length === pieces.length && (await this.#areUnchanged(pieces))
      if (isDone) await this.#client.completeUpload(this.#key, uploadId, tags)
      else await this.#client.abortUpload(this.#key, uploadId)
      return isDone
    } catch (error) {
      await this.#client.abortUpload(this.#key, uploadId).catch(() => {})
      throw error
    }
  }

  /**
   * Returns whether the sources that were copied still have their entity tags. Some servers, such as Ceph's gateway
   * of version 16, copy without regard to the tag in the request.
   */
  async #areUnchanged(pieces: readonly Piece[]): Promise<boolean> {
    const copied = new Map(
      pieces.flatMap((piece) => {
        const from = this.#copied(piece)
        return from ? [[from.key, from.entityTag]] : []
      }),
    )
    const left = [...copied]
    const checked = inOrder(
      () => {
        const next = left.pop()
        return next && this.#client.identity(next[0]).then((now) => now?.inode === next[1])
      },
      { ahead: PIECES_AHEAD, signal: this.#options.signal },
    )
    for await (const isUnchanged of checked) if (!isUnchanged) return false
    return true
  }

  async #send(
    part: Omit<CopiedPart, 'from' | 'signal'>,
    piece: Piece,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const from = this.#copied(piece)
    if (from) return this.#client.copyPart({ ...part, from, signal })
    return this.#client.putPart({ ...part, body: await this.#read(piece, signal), signal })
  }

  /** Returns the range that the storage can copy for a part, or undefined if the bytes must be sent. */
  #copied(piece: Piece): CopiedPart['from'] | undefined {
    const [range] = piece
    if (!this.#copies || !range || piece.length > 1) return undefined
    if (bytesOf(piece) < MIN_PIECE_BYTES) return undefined
    const { key, entityTag } = this.#sources[range.source] as ComposedSource
    return { key, entityTag, start: range.start, end: range.end }
  }

  #mostRead(pieces: readonly Piece[]): number {
    return Math.max(1, ...pieces.map((piece) => (this.#copied(piece) ? 0 : bytesOf(piece))))
  }

  async #read(piece: Piece, signal: AbortSignal): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(bytesOf(piece))
    let filled = 0
    for (const { source, start, end } of piece) {
      const { key, entityTag } = this.#sources[source] as ComposedSource
      const at = filled - start
      await this.#client.fetch({ key, entityTag, start, end, signal }, (chunk, position) => {
        bytes.set(chunk, at + position)
      })
      filled += end - start
    }
    return bytes
  }
}

function bytesOf(piece: Piece): number {
  return piece.reduce((sum, { start, end }) => sum + end - start, 0)
}

function tooMuch(what: string): EngineError {
  const message = `${what} are more than one object of the storage may have, 5 TiB in 10,000 parts; send fewer, larger parts`
  return new EngineError('bad_input', message)
}
