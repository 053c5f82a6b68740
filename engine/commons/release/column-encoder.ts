import type { NumberArray } from '../../shared/arrays/array-schema.ts'
import { free, grown } from '../../shared/arrays/growing.ts'
import type { FieldType } from '../datasets/define.ts'
import { ElementCodes } from './element-codes.ts'
import { foldText, isNumberType, numberOf } from './fold.ts'
import type { BitmapArrays, Codes, ColumnLayout, IndexArrays } from './layout.ts'
import { NumberTable } from './number-table.ts'
import { TextValues } from './text-values.ts'
import { UpperLetters } from './upper-letters.ts'
import type { ValueTable } from './value-table.ts'
import { escapedIn, type WrittenValues } from './written-values.ts'

/** Columns with more distinct values than this have an index of their own, with their sort order. */
const INDEXED_ABOVE = 4096

/** Level of a column, once all documents have been read. */
export interface LevelShape {
  /** Path of the level. Empty for the record. */
  readonly path: string
  readonly elements: number
  /** Row of each element. Left out if elements are rows. */
  readonly rowOf: Uint32Array | undefined
}

/** Conditions for a column to get a bitmap per value. */
export interface BitmapLimits {
  /** Minimum number of elements in the level. */
  readonly elements: number
  /** Maximum number of distinct values. */
  readonly distinct: number
  /** Maximum bytes of all bitmaps of a column. */
  readonly bytes: number
}

const BITMAP_LIMITS: BitmapLimits = Object.freeze({
  elements: 1 << 16,
  distinct: 64,
  bytes: 16 << 20,
})

export const NO_BITMAPS: BitmapLimits = Object.freeze({ elements: 0, distinct: 0, bytes: 0 })

export interface EncodedColumn {
  readonly layout: ColumnLayout
  readonly facts: Readonly<Record<string, unknown>>
  readonly arrays: Readonly<Record<string, NumberArray>>
  /** Bitmaps, which go into a file of their own. */
  readonly bitmaps?: BitmapArrays | undefined
  /** Index, which goes into a file of its own. */
  readonly index?: IndexArrays | undefined
}

/** Collects the values of one field, then builds its column. */
export interface ColumnEncoder {
  /** Adds an ASCII text as bytes of the document. `hasUpper`: whether it has upper-case letters. */
  addPlain(element: number, bytes: Buffer, start: number, end: number, hasUpper: boolean): void
  addText(element: number, text: string): void
  addNumber(element: number, number: number): void
  addBoolean(element: number, value: boolean): void
  addNull(element: number): void
  /** Builds the column, or none if there was no value. The encoder is empty afterwards. */
  finish(level: LevelShape): FinishedColumn
}

export interface FinishedColumn {
  readonly column?: EncodedColumn | undefined
  readonly written: WrittenValues
}

export function columnEncoder(type: FieldType, limits = BITMAP_LIMITS): ColumnEncoder {
  return isNumberType(type) ? new NumberColumn(limits) : new TextColumn(type, limits)
}

class TextColumn implements ColumnEncoder {
  readonly #type: FieldType
  readonly #limits: BitmapLimits
  readonly #codes = new ElementCodes()
  readonly #values = new TextValues()
  readonly #upper = new UpperLetters()
  readonly #nulls = new Nulls()
  readonly #before = new TextBefore()
  #scratch = Buffer.alloc(256)

  constructor(type: FieldType, limits: BitmapLimits) {
    this.#type = type
    this.#limits = limits
  }

  addPlain(element: number, bytes: Buffer, start: number, end: number, hasUpper: boolean): void {
    if (this.#type === 'boolean') {
      this.addText(element, bytes.toString('latin1', start, end))
      return
    }
    const before = this.#before
    // If the text equals the previous one, the code of that is used again, without a lookup.
    if (!before.is(bytes, start, end)) {
      before.become(bytes, start, end, this.#codeOfPlain(bytes, start, end, hasUpper))
    }
    this.#codes.add(element, before.code)
  }

  #codeOfPlain(bytes: Buffer, start: number, end: number, hasUpper: boolean): number {
    if (!hasUpper || this.#type === 'exact') {
      const code = this.#values.codeOf(bytes, start, end)
      this.#upper.addLower(code)
      return code
    }
    const length = end - start
    const lower = this.#target(length)
    for (let i = 0; i < length; i++) {
      const byte = bytes[start + i]!
      lower[i] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
    }
    const code = this.#values.codeOf(lower, 0, length)
    this.#upper.add(code, bytes, start, end)
    return code
  }

  addText(element: number, text: string): void {
    const folded = foldText(this.#type, text)
    if (this.#type === 'boolean' && folded !== 'true' && folded !== 'false') {
      this.#upper.disagree()
      return
    }
    const bytes = this.#target(folded.length * 3)
    const length = bytes.write(folded)
    const code = this.#values.codeOf(bytes, 0, length)
    this.#codes.add(element, code)
    this.#upper.addText(code, text, bytes.subarray(0, length))
  }

  addNumber(element: number, number: number): void {
    this.addText(element, String(number))
  }

  addBoolean(element: number, value: boolean): void {
    this.addText(element, String(value))
  }

  addNull(element: number): void {
    this.#nulls.add(element)
  }

  #target(length: number): Buffer {
    if (length > this.#scratch.length) this.#scratch = Buffer.alloc(2 * length)
    return this.#scratch
  }

  finish(level: LevelShape): FinishedColumn {
    const gathered = { values: this.#values, codes: this.#codes, nulls: this.#nulls }
    return columnOf({ kind: 'text', ...gathered, upper: this.#upper }, level, this.#limits)
  }
}

/** Number of other texts in a row after which a column is taken for one whose texts differ. */
const MAX_OTHERS = 256

/** The text that a column had last, because many columns have one text in most records. */
class TextBefore {
  code = 0
  #bytes = Buffer.alloc(64)
  #length = -1
  #others = 0

  is(bytes: Buffer, start: number, end: number): boolean {
    if (end - start !== this.#length) return false
    const own = this.#bytes
    for (let i = start, j = 0; i < end; i++, j++) if (bytes[i] !== own[j]) return false
    this.#others = 0
    return true
  }

  become(bytes: Buffer, start: number, end: number, code: number): void {
    this.code = code
    this.#length = -1
    if (end - start > this.#bytes.length || ++this.#others > MAX_OTHERS) return
    this.#length = end - start
    for (let i = start, j = 0; i < end; i++, j++) this.#bytes[j] = bytes[i]!
  }
}

/** Collects the elements that are null. */
class Nulls {
  count = 0
  #words = new Int32Array(0)

  add(element: number): void {
    const at = element >>> 5
    if (at >= this.#words.length) this.#words = grown(this.#words, at + 1)
    this.#words[at] = this.#words[at]! | (1 << (element & 31))
    this.count++
  }

  /** Returns the bitmap for so many elements. */
  take(elements: number): Int32Array {
    const length = (elements + 31) >>> 5
    if (this.count > 0 && length > this.#words.length) this.#words = grown(this.#words, length)
    return this.#words.subarray(0, length)
  }
}

class NumberColumn implements ColumnEncoder {
  readonly #limits: BitmapLimits
  readonly #codes = new ElementCodes()
  readonly #table = new NumberTable()
  readonly #nulls = new Nulls()

  constructor(limits: BitmapLimits) {
    this.#limits = limits
  }

  addPlain(element: number, bytes: Buffer, start: number, end: number): void {
    this.addText(element, bytes.toString('latin1', start, end))
  }

  addText(element: number, text: string): void {
    const number = numberOf(text)
    if (!Number.isNaN(number)) this.addNumber(element, number)
  }

  addNumber(element: number, number: number): void {
    this.#codes.add(element, this.#table.codeOf(number))
  }

  addBoolean(): void {}

  addNull(element: number): void {
    this.#nulls.add(element)
  }

  finish(level: LevelShape): FinishedColumn {
    const gathered = { values: this.#table, codes: this.#codes, nulls: this.#nulls }
    return columnOf({ kind: 'number', ...gathered }, level, this.#limits)
  }
}

/** Creates an array for codes up to `distinct`. */
function newCodes(distinct: number, length: number): Codes {
  if (distinct <= 0xff) return new Uint8Array(length)
  return distinct <= 0xffff ? new Uint16Array(length) : new Uint32Array(length)
}

interface More {
  readonly elements: Uint32Array
  readonly codes: Codes
}

interface Gathered {
  readonly kind: 'text' | 'number'
  readonly values: ValueTable
  readonly codes: ElementCodes
  readonly nulls: Nulls
  readonly upper?: UpperLetters
}

function columnOf(
  { kind, values, codes: temporary, nulls, upper }: Gathered,
  level: LevelShape,
  limits: BitmapLimits,
): FinishedColumn {
  const { distinct, facts, arrays, ranks } = values.pack()
  const ends = arrays.ends instanceof Uint32Array ? arrays.ends : undefined
  const letters = upper?.take(ends, ranks)
  const written = {
    nulls: nulls.take(level.elements),
    nullCount: nulls.count,
    isWhole: upper?.agrees ?? true,
    hasSeveral: temporary.more.elements.length > 0,
    upper: letters,
    escaped: ends ? escapedIn(arrays.bytes) : 0,
    isInteger: arrays.numbers?.every(Number.isSafeInteger) ?? false,
  }
  if (distinct === 0) return { written: { ...written, without: level.elements } }
  const first = ranked(temporary.takeFirst(level.elements), ranks, distinct)
  const { elements, codes: further } = temporary.more
  const more = { elements, codes: ranked(further, ranks, distinct) }
  free(ranks)
  const lists = elements.length > 0 ? listsOf(first, more, distinct) : undefined
  const codes = lists?.multi ? lists.codes : first
  const offsets = lists?.multi ? lists.offsets : undefined
  const counts = countRows(codes, offsets, distinct, level)
  const indexed = distinct > INDEXED_ABOVE
  const ordered = indexed && level.path === '' && !offsets
  const bitmaps = offsets ? undefined : bitmapsOf(codes, distinct, limits)
  const column: EncodedColumn = {
    layout: {
      level: level.path,
      kind,
      distinct,
      multi: offsets !== undefined,
      identity: false,
      ordered,
      ...(bitmaps ? { bitmapped: true } : {}),
      ...(indexed ? { indexed } : {}),
    },
    facts,
    arrays: {
      codes,
      ...(offsets ? { offsets } : {}),
      ...(indexed ? {} : { counts }),
      ...arrays,
    },
    bitmaps,
    index: indexed ? { counts, ...(ordered && { order: orderOf(codes, counts) }) } : undefined,
  }
  const without = lists?.without ?? countOf(0, codes)
  const isWhole = written.isWhole && (lists?.isAscending ?? true)
  return { column, written: { ...written, without, isWhole } }
}

function countOf(wanted: number, codes: Codes): number {
  let count = 0
  for (let i = 0; i < codes.length; i++) if (codes[i] === wanted) count++
  return count
}

/** Returns the bitmap of each code, if the column is within the limits. */
function bitmapsOf(codes: Codes, distinct: number, limits: BitmapLimits): BitmapArrays | undefined {
  const length = (codes.length + 31) >>> 5
  const bytes = 4 * length * (distinct + 1)
  if (codes.length < limits.elements || distinct > limits.distinct || bytes > limits.bytes) {
    return undefined
  }
  const words = new Int32Array(length * (distinct + 1))
  for (let element = 0; element < codes.length; element++) {
    const at = codes[element]! * length + (element >>> 5)
    words[at] = words[at]! | (1 << (element & 31))
  }
  return { words }
}

/** Replaces temporary codes by final ones, in place unless the final ones need fewer bytes. */
function ranked(codes: Codes, ranks: Uint32Array, distinct: number): Codes {
  const narrow = newCodes(distinct, 0).BYTES_PER_ELEMENT < codes.BYTES_PER_ELEMENT
  const result = narrow ? newCodes(distinct, codes.length) : codes
  for (let i = 0; i < codes.length; i++) result[i] = ranks[codes[i]!] as number
  return result
}

/** Returns the distinct ascending codes of each element, and `multi` if an element has two. */
function listsOf(first: Codes, { elements, codes }: More, distinct: number) {
  const lists = newCodes(distinct, first.length + codes.length)
  const offsets = new Uint32Array(first.length + 1)
  const own: number[] = []
  let filled = 0
  let at = 0
  let multi = false
  let isAscending = true
  let without = 0
  for (let element = 0; element < first.length; element++) {
    offsets[element] = filled
    const code = first[element]!
    if (code !== 0) lists[filled++] = code
    else without++
    if (elements[at] !== element) continue
    own.length = 0
    own.push(code)
    for (; elements[at] === element; at++) own.push(codes[at]!)
    isAscending &&= own.every((one, i) => i === 0 || one > own[i - 1]!)
    own.sort((a, b) => a - b)
    filled--
    for (const [i, code] of own.entries()) if (code !== own[i - 1]) lists[filled++] = code
    if (filled - offsets[element]! > 1) multi = true
  }
  offsets[first.length] = filled
  return { multi, codes: lists.slice(0, filled), offsets, isAscending, without }
}

/** Counts rows by code, each once. Entry 0 counts rows with an element that has no value. */
function countRows(
  codes: Codes,
  offsets: Uint32Array | undefined,
  distinct: number,
  { elements, rowOf }: LevelShape,
): Uint32Array {
  const counts = new Uint32Array(distinct + 1)
  // Row plus one that was counted last for each code.
  const seen = new Uint32Array(distinct + 1)
  const count = (code: number, row: number) => {
    if (seen[code] === row) return
    seen[code] = row
    counts[code] = counts[code]! + 1
  }
  for (let element = 0; element < elements; element++) {
    const row = (rowOf ? rowOf[element]! : element) + 1
    if (!offsets) {
      count(codes[element]!, row)
      continue
    }
    const from = offsets[element]!
    const to = offsets[element + 1]!
    if (from === to) count(0, row)
    for (let i = from; i < to; i++) count(codes[i]!, row)
  }
  return counts
}

/** Returns rows by ascending code, missing ones last. Each row has one code, so counts give the positions. */
function orderOf(codes: Codes, counts: Uint32Array): Uint32Array {
  const next = new Uint32Array(counts.length)
  let place = 0
  for (let code = 1; code <= counts.length; code++) {
    const at = code % counts.length
    next[at] = place
    place += counts[at]!
  }
  const order = new Uint32Array(codes.length)
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!
    const at = next[code]!
    order[at] = row
    next[code] = at + 1
  }
  return order
}
