import { inOrder } from '../concurrency/in-order.ts'
import { EngineError } from '../errors.ts'
import type { CopiedPart, ObjectClient } from './object-client.ts'
import { partBytesOf } from './upload.ts'

/** S3 takes no smaller part but the last one. */
const MIN_PIECE_BYTES = 5 << 20
/** What the storage copies with one request: it may say nothing for 20 s meanwhile. */
const PIECE_BYTES = 128 * 2 ** 20
/** S3 copies 5 GiB at a time at most. */
const MAX_PIECE_BYTES = 4 * 2 ** 30
const MAX_PIECES = 10_000
/** S3 has no larger objects. */
const MAX_OBJECT_BYTES = 5 * 2 ** 40
/** Pieces under way at a time, as long as those that pass through here take little memory. */
const PIECES_AHEAD = 4
const AHEAD_BYTES = 64 << 20

/** An object whose bytes come next in another one. */
export interface ComposedSource {
  readonly key: string
  readonly entityTag: string
  readonly size: number
}

/** Bytes of one source, 0-based and half-open. */
export interface SourceRange {
  readonly source: number
  readonly start: number
  readonly end: number
}

/** A part of the new object. One range is copied by the storage, several are put together here. */
export type Piece = readonly SourceRange[]

/**
 * Cuts what sources of these sizes make together into parts that S3 takes: each but the last has 5 MiB
 * or more, none more than 4 GiB. What is smaller is joined with what follows.
 * @throws EngineError `bad_input` when that is more than an object may have
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

/** The same where the server does not copy: all bytes pass through here. */
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
  /** Called with the storage's name of what is made, before it has any bytes: who fails gives it up. */
  readonly onBegun: (uploadId: string) => Promise<void>
}

/**
 * Makes one object of others, one behind the other. The storage copies what it can; only pieces below
 * 5 MiB, or all of them where the server cannot copy by entity tags, pass through here. Nothing is under
 * the key before all of it is.
 * @throws EngineError unavailable, also when a source is another by now; the signal's reason
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

  /** @param copies whether the storage is to copy what it can */
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

  /** @returns false when the storage was to copy and cannot */
  async run(pieces: readonly Piece[]): Promise<boolean> {
    const [first = [], second] = pieces
    if (second) return this.#runParts(pieces)
    const { signal } = this.#options
    const whole = this.#copied(first)
    if (whole) return this.#client.copy(whole, this.#key, signal)
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
      const isDone = tags.length === pieces.length
      if (isDone) await this.#client.completeUpload(this.#key, uploadId, tags)
      else await this.#client.abortUpload(this.#key, uploadId)
      return isDone
    } catch (error) {
      await this.#client.abortUpload(this.#key, uploadId).catch(() => {})
      throw error
    }
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

  /** What the storage copies for a piece, if it is to. */
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
