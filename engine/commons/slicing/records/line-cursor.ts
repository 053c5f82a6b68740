import { damage } from '../../../shared/blobs/source.ts'
import { EngineError } from '../../../shared/errors.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { countSamples, type LinePlace, placeLine } from '../../../shared/formats/tabix.ts'
import type { BlockReader } from '../block-reader.ts'
import { ByteWindow } from './byte-window.ts'
import { type RecordCursor, UNKNOWN_REFERENCE } from './record-cursor.ts'
import type { LineFormat } from './record-format.ts'

/** Position of a faulty line. Line numbers are unknown while reading a part of a file. */
export const linePlace = (block: number, inner: number) => `line at ${block}:${inner}`

/** Parses a position that linePlace wrote. Returns undefined for other text. */
export function placeOfLine(at: string | undefined) {
  const [, block, inner] = /^line at (\d+):(\d+)$/.exec(at ?? '') ?? []
  return block === undefined ? undefined : { block: Number(block), inner: Number(inner) }
}

/** Maximum length of a line in bytes. */
const MAX_LINE_BYTES = 256 * 1024 * 1024
const NEWLINE = 10

/** Iterates over the lines of a file. Each includes its line break, which the last line may lack. */
export class LineCursor implements RecordCursor {
  readonly #window: ByteWindow
  readonly #format: LineFormat
  readonly #names: LineNames
  readonly #place: LinePlace = { nameFrom: 0, nameTo: 0, start: 0, end: 0 }
  readonly isUnmapped = false
  readonly lacksPosition = false
  #length = 0
  #reference = 0

  constructor(reader: BlockReader, blockOffset: number, inner: number, format: LineFormat) {
    this.#window = new ByteWindow(reader, blockOffset, inner)
    this.#format = format
    this.#names = new LineNames(format)
  }

  advance(): boolean {
    const window = this.#window
    const by = this.#length
    this.#length = 0
    if (!window.advance(by)) return false
    const distance = window.distanceTo(NEWLINE, MAX_LINE_BYTES)
    const length = distance < 0 ? window.rest : distance
    if (length > MAX_LINE_BYTES) throw damage('line is too long; its block starts', window.block)
    const { bytes, at } = window
    try {
      placeLine(bytes, at, at + length, this.#format, this.#place)
    } catch (cause) {
      const what = cause instanceof FormatError ? cause.message : 'line'
      const { block, inner } = window
      const message = `${what}, in the block at byte ${block} of the file`
      throw new EngineError('corrupt_source', message, { cause, at: linePlace(block, inner) })
    }
    this.#reference = this.#names.numberOf(bytes, this.#place)
    this.#length = distance < 0 ? length : length + 1
    return true
  }

  get block(): number {
    return this.#window.block
  }

  get inner(): number {
    return this.#window.inner
  }

  get reference(): number {
    return this.#reference
  }

  get start(): number {
    return this.#place.start
  }

  get end(): number {
    return this.#place.end
  }

  get length(): number {
    return this.#length
  }

  /** Returns the flaw of a VCF line with fewer samples than the header has. htslib ignores additional samples. */
  flawIn(): string | undefined {
    const { samples = 0 } = this.#format
    if (samples === 0) return undefined
    const { bytes, at } = this.#window
    const found = countSamples(bytes, at, at + this.#length)
    if (found === undefined || found >= samples) return undefined
    return `it has ${found} of the ${samples} samples that the header names`
  }

  bytes(): Uint8Array {
    const { bytes, at } = this.#window
    return bytes.subarray(at, at + this.#length)
  }
}

/** Looks up reference numbers by name. Consecutive lines usually have the same name, which is cached. */
export class LineNames {
  readonly #numbers: ReadonlyMap<string, number>
  #last: Uint8Array = new Uint8Array(0)
  #lastNumber = UNKNOWN_REFERENCE

  constructor({ numbers }: Pick<LineFormat, 'numbers'>) {
    this.#numbers = new Map(numbers)
  }

  numberOf(bytes: Uint8Array, { nameFrom, nameTo }: LinePlace): number {
    const last = this.#last
    const length = nameTo - nameFrom
    let same = length === last.length
    for (let i = 0; same && i < length; i++) same = bytes[nameFrom + i] === last[i]
    if (same) return this.#lastNumber
    // The name is copied, because the memory of the block is reused. Slicing a Buffer would not copy.
    this.#last = Uint8Array.from(bytes.subarray(nameFrom, nameTo))
    this.#lastNumber = this.#numbers.get(Buffer.from(this.#last).toString()) ?? UNKNOWN_REFERENCE
    return this.#lastNumber
  }
}
