import { checkJsonSteps, endOfText, type JsonLimits } from './json-bounds.ts'
import { jsonErrorOffset, jsonPlaceText, textPlace } from './json-error.ts'

/** Size in bytes of the pieces that are parsed in one step. V8 takes 3 ms for a piece of short texts only. */
const PIECE_BYTES = 64 << 10

const QUOTE = 0x22
const COMMA = 0x2c
const [OPEN_ARRAY, CLOSE_ARRAY] = [0x5b, 0x5d]
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d]
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Invalid JSON. Has the byte offset and the following UTF-16 units at which the text becomes invalid. */
export class JsonPieceError extends Error {
  readonly byteOffset: number
  readonly units: number

  constructor(byteOffset: number, units = 0, options?: ErrorOptions) {
    super('not valid JSON', options)
    this.byteOffset = byteOffset
    this.units = units
  }

  /** Formats its place in the whole text: `not valid JSON at line 1, column 8`. */
  textIn(bytes: Uint8Array): string {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const offset = text.toString('utf8', 0, this.byteOffset).length + this.units
    return jsonPlaceText(textPlace(text.toString(), offset))
  }
}

/**
 * Parses JSON in steps, because V8 takes 200 ms for 4 MiB of short texts. The result is that of `JSON.parse`.
 * @param bytes UTF-8
 * @param limits checked in steps before anything is parsed
 * @throws EngineError `too_many` over a limit; JsonPieceError for invalid JSON; TypeError for invalid UTF-8
 */
export function* parseJsonPieces(
  bytes: Uint8Array,
  limits: JsonLimits,
  pieceBytes = PIECE_BYTES,
): Generator<void, unknown> {
  const closes = yield* checkJsonSteps(bytes, limits, pieceBytes)
  return yield* new Pieces(bytes, closes, pieceBytes).root()
}

type Container = unknown[] | Record<string, unknown>

class Pieces {
  readonly #bytes: Uint8Array
  /** Offsets of closing brackets, keyed by the offset of the opening bracket, for containers longer than a piece. */
  readonly #closes: ReadonlyMap<number, number>
  readonly #pieceBytes: number
  // A mark of the byte order is no blank between values.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  constructor(bytes: Uint8Array, closes: ReadonlyMap<number, number>, pieceBytes: number) {
    this.#bytes = bytes
    this.#closes = closes
    this.#pieceBytes = pieceBytes
  }

  *root(): Generator<void, unknown> {
    const bytes = this.#bytes
    const begin = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    const start = this.#afterBlanks(begin)
    if (!this.#closes.has(start)) return this.#parsed(begin, bytes.length)
    const value = yield* this.#container(start)
    const rest = this.#afterBlanks((this.#closes.get(start) ?? 0) + 1)
    if (rest < bytes.length) throw new JsonPieceError(rest)
    return value
  }

  *#container(start: number): Generator<void, Container> {
    const bytes = this.#bytes
    const close = this.#closes.get(start) ?? bytes.length
    const isArray = bytes[start] === OPEN_ARRAY
    const into: Container = isArray ? [] : {}
    // Offset of the text that is not parsed yet, and whether a comma before it requires another value.
    let from = start + 1
    let isDue = false
    let level = 0
    let key: readonly [number, number] = [from, from]
    for (let i = from; i < close; i++) {
      const byte = bytes[i]
      if (byte === QUOTE) {
        const end = endOfText(bytes, i + 1)
        if (level === 0) key = [i, end + 1]
        i = end
      } else if (byte === COMMA && level === 0 && i - from >= this.#pieceBytes) {
        this.#add(into, from, i, true)
        yield
        from = i + 1
        isDue = true
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        if (level > 0 || !this.#closes.has(i)) {
          level += 1
          continue
        }
        this.#add(into, from, i, true, 'null')
        yield
        const child = yield* this.#container(i)
        if (Array.isArray(into)) into[into.length - 1] = child
        else setMember(into, this.#parsed(...key) as string, child)
        from = this.#afterBlanks((this.#closes.get(i) ?? close) + 1)
        isDue = from < close
        if (isDue && bytes[from] !== COMMA) throw new JsonPieceError(from)
        i = from
        from += 1
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) level -= 1
    }
    if (close === bytes.length) {
      // Whatever follows, the container ends too early.
      this.#parsed(Math.min(from, close), close, isArray ? '[' : '{')
      throw new JsonPieceError(close)
    }
    if (from < close) this.#add(into, from, close, isDue)
    else if (isDue) throw new JsonPieceError(close)
    if (bytes[close] !== (isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) throw new JsonPieceError(close)
    return into
  }

  /** @param last stands for a value that follows and is parsed by itself */
  #add(into: Container, from: number, to: number, isDue: boolean, last = ''): void {
    const isBlank = last === '' && this.#afterBlanks(from) >= to
    if (isBlank && isDue) throw new JsonPieceError(to)
    if (Array.isArray(into)) {
      for (const value of this.#parsed(from, to, '[', `${last}]`) as unknown[]) into.push(value)
      return
    }
    const members = this.#parsed(from, to, '{', `${last}}`) as Record<string, unknown>
    for (const name in members) setMember(into, name, members[name])
  }

  #parsed(from: number, to: number, open = '', close = ''): unknown {
    const text = open + this.#decoder.decode(this.#bytes.subarray(from, to)) + close
    try {
      return JSON.parse(text)
    } catch (cause) {
      const units = jsonErrorOffset(text, cause) - open.length
      throw new JsonPieceError(from, units, { cause })
    }
  }

  #afterBlanks(start: number): number {
    let at = start
    while (BLANKS.has(this.#bytes[at])) at++
    return at
  }
}

/** Sets a member as `JSON.parse` does: `__proto__` is an ordinary name. */
function setMember(into: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') into[name] = value
  else {
    Object.defineProperty(into, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
}
