import { isUtf8 } from 'node:buffer'
import type { Scratch } from '../../shared/executor.ts'
import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { DocumentReader, type DocumentsHandle, isAscending } from '../release/documents.ts'
import { viewOf } from './cells.ts'
import { prefixOf } from './column-lines.ts'
import type { Projection } from './projection.ts'

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const DASH = 0x2d
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const FIRST_NOT_ASCII = 0x80

/** Number of digits of an integer that is certainly safe. */
const SAFE_DIGITS = 15
/** Maximum number of names that are remembered. Documents with more are parsed. */
const MAX_NAMES = 1024

/** A member of documents. */
interface Name {
  /** Name with quotes and colon. */
  readonly bytes: Buffer
  /** Place of its value in a record, or -1 if it is not printed. */
  readonly place: number
  /** The member that followed last time. */
  next: Name | undefined
}

/** Thrown where a document is not written as JSON.stringify writes it. */
class NotPlain extends Error {}

/**
 * Writes records as JSON objects by copying their members out of the documents, without parsing them. The bytes are
 * those of JSON.stringify of what is parsed: values that are spelled in another way are parsed, and so are whole
 * documents with spaces or escapes between values.
 */
export class CopiedMembers {
  readonly #names = new Map<string, Name>()
  /** Members in printed order: name with a leading comma and a colon, and place of the value. */
  readonly #printed: readonly {
    readonly prefix: DataView
    readonly place: number
    readonly from: string
  }[]
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  /** Whether each value is written as it is. */
  readonly #plain: Uint8Array
  #first: Name | undefined
  #bytes: Buffer = Buffer.alloc(0)
  #view = viewOf(this.#bytes)
  #hasOther = false
  #isPlain = false

  /** @param projection one that canCopy accepts */
  constructor({ id, members }: Projection) {
    const leaves = members.flatMap((one) => (one.kind === 'leaf' ? [one] : []))
    const shown = [...(id === undefined ? [] : [{ from: id, as: 'id' }]), ...leaves]
    const places = new Map([...new Set(shown.map(({ from }) => from))].map((name, i) => [name, i]))
    this.#printed = shown.map(({ from, as }) => ({
      prefix: prefixOf(as),
      place: places.get(from)!,
      from,
    }))
    for (const [name, place] of places) this.#name(name, place)
    this.#starts = new Int32Array(places.size)
    this.#ends = new Int32Array(places.size)
    this.#plain = new Uint8Array(places.size)
  }

  /**
   * Returns whether members can be copied: all are values at the top of a record's own document.
   * @param rows must be ascending
   */
  static canCopy({ id, members }: Projection, rows: Uint32Array): boolean {
    const names = members.map(({ as }) => as)
    const isFlat = members.every(({ kind }) => kind === 'leaf')
    const isDistinct = new Set(names).size === names.length && !(id && names.includes('id'))
    return isFlat && isDistinct && isAscending(rows)
  }

  /**
   * Writes each row as an object, followed by the byte `behind` if there is one. Returns the number of characters read.
   * @throws EngineError corrupt_source if a document is damaged
   */
  write(
    rows: Uint32Array,
    sink: ByteSink,
    {
      handle,
      scratch,
      behind,
    }: {
      readonly handle: DocumentsHandle
      readonly scratch: Scratch
      readonly behind?: number
    },
  ): number {
    let characters = 0
    new DocumentReader(handle, scratch).each(rows, (bytes, start, end) => {
      characters += end - start
      this.#document(bytes, start, end, sink)
      if (behind !== undefined) sink.byte(behind)
    })
    return characters
  }

  #document(bytes: Buffer, start: number, end: number, sink: ByteSink): void {
    if (this.#bytes !== bytes) {
      this.#bytes = bytes
      this.#view = viewOf(bytes)
    }
    const from = sink.length
    if (this.#find(start, end)) this.#copy(sink)
    else this.#parse(bytes.toString('utf8', start, end), sink)
    // Each member begins with a comma. The brace overwrites the first one.
    if (sink.length === from) sink.byte(OPEN_BRACE)
    else sink.replace(from, OPEN_BRACE)
    sink.byte(CLOSE_BRACE)
  }

  #copy(sink: ByteSink): void {
    for (const { prefix, place } of this.#printed) {
      const start = this.#starts[place]!
      if (start < 0) continue
      const end = this.#ends[place]!
      sink.copy(prefix, 0, prefix.byteLength)
      if (this.#plain[place] === 1) sink.copy(this.#view, start, end)
      else sink.text(JSON.stringify(JSON.parse(this.#bytes.toString('utf8', start, end))))
    }
  }

  #parse(text: string, sink: ByteSink): void {
    const document = JSON.parse(text) as Readonly<Record<string, unknown>>
    for (const { prefix, from } of this.#printed) {
      const value = document[from]
      if (value === undefined) continue
      sink.copy(prefix, 0, prefix.byteLength)
      sink.text(JSON.stringify(value))
    }
  }

  /** Finds the values of a document that was valid JSON when it was stored. Returns false if it must be parsed. */
  #find(start: number, end: number): boolean {
    this.#starts.fill(-1)
    this.#hasOther = false
    try {
      this.#members(start, end)
    } catch (error) {
      if (error instanceof NotPlain) return false
      throw error
    }
    return !this.#hasOther || isUtf8(this.#bytes.subarray(start, end))
  }

  #members(start: number, end: number): void {
    const bytes = this.#bytes
    let at = start
    if (bytes[at++] !== OPEN_BRACE) throw new NotPlain()
    let expected = this.#first
    let last: Name | undefined
    if (bytes[at] !== CLOSE_BRACE) {
      for (;;) {
        const name = expected && isAt(expected.bytes, bytes, at) ? expected : this.#nameAt(at)
        if (last) last.next = name
        else this.#first = name
        at += name.bytes.length
        const behind = this.#value(at)
        if (name.place >= 0) {
          this.#starts[name.place] = at
          this.#ends[name.place] = behind
          this.#plain[name.place] = this.#isPlain ? 1 : 0
        }
        at = behind
        if (bytes[at] !== COMMA) break
        at++
        last = name
        expected = name.next
      }
    }
    if (bytes[at] !== CLOSE_BRACE || at + 1 !== end) throw new NotPlain()
  }

  #nameAt(at: number): Name {
    if (this.#bytes[at] !== QUOTE) throw new NotPlain()
    const end = this.#text(at)
    if (!this.#isPlain || this.#bytes[end] !== COLON) throw new NotPlain()
    const text = this.#bytes.toString('utf8', at + 1, end - 1)
    return this.#name(text, -1)
  }

  #name(text: string, place: number): Name {
    const known = this.#names.get(text)
    if (known) return known
    if (this.#names.size > MAX_NAMES) throw new NotPlain()
    const name: Name = { bytes: Buffer.from(`"${text}":`), place, next: undefined }
    this.#names.set(text, name)
    return name
  }

  /** Returns the end of a value, and notes whether JSON.stringify writes it so. */
  #value(at: number): number {
    const first = this.#bytes[at]!
    if (first === QUOTE) return this.#text(at)
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return this.#nested(at)
    if (first <= SPACE) throw new NotPlain()
    return this.#scalar(at)
  }

  /** Returns the end of a text. */
  #text(start: number): number {
    const bytes = this.#bytes
    let at = start + 1
    this.#isPlain = true
    for (;;) {
      const byte = bytes[at++]
      if (byte === undefined) throw new NotPlain()
      if (byte === QUOTE) return at
      if (byte === BACKSLASH) {
        this.#isPlain = false
        at++
      } else if (byte >= FIRST_NOT_ASCII) this.#hasOther = true
    }
  }

  /** Returns the end of a number, null, true or false. */
  #scalar(start: number): number {
    const bytes = this.#bytes
    let at = start
    let areDigits = true
    for (; ; at++) {
      const byte = bytes[at]
      if (byte === undefined) throw new NotPlain()
      if (byte === COMMA || byte === CLOSE_BRACE) break
      if (byte < ZERO || byte > NINE) areDigits &&= byte === DASH && at === start
    }
    const isNumber = bytes[start]! <= NINE
    const isZero = bytes[start] === DASH && bytes[start + 1] === ZERO
    this.#isPlain = isNumber
      ? areDigits && !isZero && at - start <= SAFE_DIGITS
      : bytes[at - 1]! > NINE
    return at
  }

  /** Returns the end of an array or an object. Only an array of texts is noted as plain. */
  #nested(start: number): number {
    const bytes = this.#bytes
    let depth = 0
    let areTexts = bytes[start] === OPEN_BRACKET
    for (let at = start; ; at++) {
      const byte = bytes[at]
      if (byte === undefined) throw new NotPlain()
      if (byte === QUOTE) {
        at = this.#text(at) - 1
        areTexts &&= this.#isPlain
      } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        areTexts &&= depth === 0
        depth++
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
        if (--depth > 0) continue
        this.#isPlain = areTexts
        return at + 1
      } else if (byte !== COMMA) areTexts = false
    }
  }
}

function isAt(name: Buffer, bytes: Buffer, at: number): boolean {
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[at + i]) return false
  return true
}
