import type { Scratch } from '../../shared/executor.ts'
import {
  ByteSink,
  copyBytes,
  copyRaised,
  HEX_LENGTH,
  integerLength,
  UUID_LENGTH,
  writeHex,
  writeInteger,
  writeUuid,
} from '../../shared/formats/byte-sink.ts'
import type { Scalar } from '../../shared/formats/flatten.ts'
import { cellOf, csvCell } from '../../shared/formats/table-cells.ts'
import { ESCAPED } from '../release/layout.ts'
import type { Column } from '../release/loaded.ts'
import { spelledText } from '../release/spelling.ts'
import { PACKED_BYTES } from '../release/text-form.ts'
import type { LeafNode } from './column-tree.ts'

/** Syntax in which a value is written: as a table cell, as JSON, or unquoted. */
export type CellForm = 'tsv' | 'csv' | 'json' | 'plain'

/** Writes the values of one field. The values are given as dictionary codes. */
export interface Cells {
  write(code: number, sink: ByteSink): void
  /**
   * Reads values into the processor's caches before they are written. Rows are in the order of their ids, so
   * each read of a sorted value is a cache miss. Reading many values at once lets the misses overlap. The return
   * value is only there to keep the reads from being optimised away.
   */
  readonly touch?: (codes: Uint32Array) => number
  /** Adds the byte length of each row's value to its entry of `lengths`. Code 0 adds nothing. */
  measure(codes: Uint32Array, lengths: Uint32Array): void
  /**
   * Writes each row's value at its offset in `target`, then moves the offset to the end of the value. The
   * target must have the space that `measure` has counted.
   */
  place(codes: Uint32Array, places: Uint32Array, target: DataView): void
}

/** Values of a small dictionary, in the form in which they are written. */
interface RenderedValues {
  readonly text: Uint8Array
  /** The value of code c is the text from ends[c - 1] to ends[c]. */
  readonly ends: Uint32Array
}

/** Maximum size of a dictionary whose values are rendered once and then copied. */
const SMALL_VALUES = 4096
const SMALL_BYTES = 256 << 10

const QUOTE = 0x22

/** @param scratch keeps rendered small dictionaries from chunk to chunk */
export function cellsOf(
  node: LeafNode,
  form: CellForm,
  { releaseId, scratch }: { readonly releaseId: string; readonly scratch: Scratch },
): Cells {
  const { column } = node
  if (!column) return NO_CELLS
  const rendered = renderedValues(node, form, { releaseId, scratch })
  if (rendered) return rendered.cells
  const stored = storedForm(node, form)
  switch (stored?.form) {
    case 'integer':
      return integerCells(stored.numbers)
    case 'uuid':
      return uuidCells(stored.bytes, stored.isQuoted)
    case 'hex':
      return hexCells(stored.bytes, stored.isQuoted)
    case 'text':
      return textCells(stored)
    case undefined:
      return madeCells(formOf(node, column, form))
  }
}

/** How to write values, depending on the arrays that store them. */
export type StoredForm =
  | { readonly form: 'integer'; readonly numbers: Float64Array }
  | { readonly form: 'uuid' | 'hex'; readonly bytes: Uint8Array; readonly isQuoted: boolean }
  | ({ readonly form: 'text' } & Texts)

/** Returns how values are written from their arrays, or undefined if each has to be rendered. */
export function storedForm(
  { leaf: { printed, type }, column, upper }: LeafNode,
  form: CellForm,
): StoredForm | undefined {
  const { dictionary, bytes, ends, numbers } = column ?? {}
  if (numbers) {
    return printed.kind === 'integer' && !isDecimal(type) ? { form: 'integer', numbers } : undefined
  }
  if (!bytes || !dictionary) return undefined
  const isQuoted = printed.kind === 'text' && form === 'json'
  if (dictionary.form !== 'text') return { form: dictionary.form, bytes, isQuoted }
  if (!ends || isEscaped(printed.escaped, form)) return undefined
  return { form: 'text', bytes, ends, upper, isQuoted }
}

/** Renders the values of a small dictionary. Returns undefined if the dictionary is large. */
export function renderedValues(
  node: LeafNode,
  form: CellForm,
  { releaseId, scratch }: { readonly releaseId: string; readonly scratch: Scratch },
): (RenderedValues & { readonly cells: Cells }) | undefined {
  const { column } = node
  if (!column) return undefined
  const { size } = column.dictionary
  if (size > SMALL_VALUES || (column.bytes?.length ?? 0) > SMALL_BYTES) return undefined
  const { dataset, path, type } = node.leaf
  const key = `cells\t${releaseId}\t${dataset}\t${path}\t${type}\t${form}`
  return scratch.cached(key, () => smallCells(size, formOf(node, column, form)))
}

function integerCells(numbers: ArrayLike<number>): Cells {
  return {
    write: (code, sink) => sink.integer(numbers[code - 1]!),
    touch(codes) {
      let sum = 0
      for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) sum += numbers[codes[i]! - 1]!
      return sum
    },
    measure(codes, lengths) {
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!
        if (code !== 0) lengths[i]! += integerLength(numbers[code - 1]!)
      }
    },
    place(codes, places, target) {
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!
        if (code !== 0) places[i] = writeInteger(target, places[i]!, numbers[code - 1]!)
      }
    },
  }
}

function uuidCells(bytes: Uint8Array, isQuoted: boolean): Cells {
  return {
    write(code, sink) {
      if (isQuoted) sink.byte(QUOTE)
      sink.uuid(bytes, (code - 1) * PACKED_BYTES)
      if (isQuoted) sink.byte(QUOTE)
    },
    touch: (codes) => touchPacked(codes, bytes),
    measure: (codes, lengths) => addLength(codes, lengths, UUID_LENGTH + (isQuoted ? 2 : 0)),
    place(codes, places, target) {
      if (isQuoted) placeQuotes(codes, places, target)
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!
        if (code !== 0) places[i] = writeUuid(target, places[i]!, bytes, (code - 1) * PACKED_BYTES)
      }
      if (isQuoted) placeQuotes(codes, places, target)
    },
  }
}

function hexCells(bytes: Uint8Array, isQuoted: boolean): Cells {
  return {
    write(code, sink) {
      if (isQuoted) sink.byte(QUOTE)
      sink.hex(bytes, (code - 1) * PACKED_BYTES)
      if (isQuoted) sink.byte(QUOTE)
    },
    touch: (codes) => touchPacked(codes, bytes),
    measure: (codes, lengths) => addLength(codes, lengths, HEX_LENGTH + (isQuoted ? 2 : 0)),
    place(codes, places, target) {
      if (isQuoted) placeQuotes(codes, places, target)
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!
        if (code !== 0) places[i] = writeHex(target, places[i]!, bytes, (code - 1) * PACKED_BYTES)
      }
      if (isQuoted) placeQuotes(codes, places, target)
    },
  }
}

/** Writes values that are rendered one at a time. */
function madeCells(textOf: (code: number) => string): Cells {
  const made = new ByteSink(Buffer.allocUnsafe(1024))
  return {
    write: (code, sink) => sink.text(textOf(code)),
    measure(codes, lengths) {
      made.cutTo(0)
      for (let i = 0; i < codes.length; i++) {
        const start = made.length
        if (codes[i] !== 0) made.text(textOf(codes[i]!))
        lengths[i]! += made.length - start
      }
    },
    // Values are rendered a second time here, because this is too rare to be worth a cache.
    place(codes, places, target) {
      made.cutTo(0)
      for (let i = 0; i < codes.length; i++) {
        if (codes[i] === 0) continue
        const start = made.length
        made.text(textOf(codes[i]!))
        places[i] = copyBytes(target, places[i]!, made.view, start, made.length)
      }
    },
  }
}

interface Texts {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
  readonly upper: Uint8Array | undefined
  readonly isQuoted: boolean
}

function textCells({ bytes, ends, upper, isQuoted }: Texts): Cells {
  const view = viewOf(bytes)
  const quotes = isQuoted ? 2 : 0
  return {
    write(code, sink) {
      if (isQuoted) sink.byte(QUOTE)
      const start = ends[code - 1]!
      if (upper) sink.copyRaised(view, start, ends[code]!, upper)
      else sink.copy(view, start, ends[code]!)
      if (isQuoted) sink.byte(QUOTE)
    },
    touch(codes) {
      let sum = 0
      const starts = new Uint32Array(codes.length)
      for (let i = 0; i < codes.length; i++) starts[i] = codes[i] === 0 ? 0 : ends[codes[i]! - 1]!
      for (let i = 0; i < codes.length; i++) {
        const start = starts[i]!
        sum += bytes[start]! + bytes[start + CACHE_LINE]! + (upper?.[start >> 3] ?? 0)
      }
      return sum
    },
    measure(codes, lengths) {
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!
        if (code !== 0) lengths[i]! += ends[code]! - ends[code - 1]! + quotes
      }
    },
    place(codes, places, target) {
      if (isQuoted) placeQuotes(codes, places, target)
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!
        if (code === 0) continue
        const at = places[i]!
        const start = ends[code - 1]!
        const end = ends[code]!
        places[i] = upper
          ? copyRaised(target, at, { source: view, start, end, upper })
          : copyBytes(target, at, view, start, end)
      }
      if (isQuoted) placeQuotes(codes, places, target)
    },
  }
}

/** Adds a fixed length to every row with a value. */
function addLength(codes: Uint32Array, lengths: Uint32Array, length: number): void {
  for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) lengths[i]! += length
}

/** Writes a quotation mark at the offset of every row with a value. */
function placeQuotes(codes: Uint32Array, places: Uint32Array, target: DataView): void {
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] !== 0) target.setUint8(places[i]!++, QUOTE)
  }
}

/** Reads one byte of each packed value into the processor's caches. */
function touchPacked(codes: Uint32Array, bytes: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!
    if (code !== 0) sum += bytes[(code - 1) * PACKED_BYTES]!
  }
  return sum
}

/** Size of a cache line in bytes. Most texts extend over at most two lines. */
const CACHE_LINE = 64

const NO_CELLS: Cells = Object.freeze({ write: () => {}, measure: () => {}, place: () => {} })

/** Returns whether tables write integers of this type with a decimal point. */
export const isDecimal = (type: LeafNode['leaf']['type']) => type === 'double' || type === 'float'

function isEscaped(escaped = 0, form: CellForm): boolean {
  if (form === 'plain') return false
  // In TSV and CSV, line breaks become spaces, so both formats test the same bits.
  const bits = form === 'json' ? ESCAPED.json : ESCAPED.tsv | (form === 'csv' ? ESCAPED.csv : 0)
  return (escaped & bits) !== 0
}

/** Returns a function that renders the value of a code. */
function formOf({ leaf, upper }: LeafNode, column: Column, form: CellForm) {
  const { kind } = leaf.printed
  const { dictionary } = column
  const decimal = isDecimal(leaf.type)
  const scalarOf = (code: number): Scalar => {
    if (kind === 'integer' || kind === 'number') {
      return column.numbers ? dictionary.number(code) : Number(dictionary.text(code))
    }
    if (kind === 'boolean') return dictionary.text(code) === 'true'
    return upper ? spelledText(column, code) : dictionary.text(code)
  }
  return (code: number): string => {
    const scalar = scalarOf(code)
    if (form === 'json') return JSON.stringify(scalar)
    if (form === 'plain') return String(scalar)
    const cell = cellOf(scalar, decimal)
    return form === 'csv' ? csvCell(cell) : cell
  }
}

function smallCells(size: number, textOf: (code: number) => string) {
  const sink = new ByteSink(Buffer.allocUnsafe(1024))
  const ends = new Uint32Array(size + 1)
  for (let code = 1; code <= size; code++) {
    sink.text(textOf(code))
    ends[code] = sink.length
  }
  const written = sink.take()
  const view = viewOf(written)
  const cells: Cells = {
    write: (code, to) => to.copy(view, ends[code - 1]!, ends[code]!),
    measure(codes, lengths) {
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!
        if (code !== 0) lengths[i]! += ends[code]! - ends[code - 1]!
      }
    },
    place(codes, places, target) {
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!
        if (code !== 0)
          places[i] = copyBytes(target, places[i]!, view, ends[code - 1]!, ends[code]!)
      }
    },
  }
  return { bytes: written.length + ends.byteLength, text: written, ends, cells }
}

/** Returns a view of the bytes, which ByteSink copies from. */
export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength)
