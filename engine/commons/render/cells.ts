import type { Scratch } from '../../shared/executor.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import type { Scalar } from '../../shared/formats/flatten.ts'
import { cellOf, csvCell } from '../../shared/formats/table-cells.ts'
import { ESCAPED } from '../release/layout.ts'
import type { Column } from '../release/loaded.ts'
import { PACKED_BYTES } from '../release/text-form.ts'
import type { LeafNode } from './column-tree.ts'

/** How values are written: in a table, in JSON, or as plain text. */
export type CellForm = 'tsv' | 'csv' | 'json' | 'plain'

/** Writes the values of one field by their codes. */
export interface Cells {
  write(code: number, sink: ByteSink): void
  /**
   * Reads a little of the values of some codes, so that they are in the processor's caches when they
   * are written. Values lie in their own order, rows in that of ids: each is a wait for the memory,
   * and the waits for several pass together. What it returns means nothing.
   */
  readonly touch?: (codes: Uint32Array) => number
}

/** Dictionaries of so many values and less are written once, and copied from then on. */
const SMALL_VALUES = 4096
const SMALL_BYTES = 256 << 10

const QUOTE = 0x22

/** @param scratch where small dictionaries are kept from chunk to chunk */
export function cellsOf(
  node: LeafNode,
  form: CellForm,
  { releaseId, scratch }: { readonly releaseId: string; readonly scratch: Scratch },
): Cells {
  const { leaf, column, upper } = node
  if (!column) return NO_CELLS
  const { dictionary, bytes, ends, numbers } = column
  const textOf = formOf(node, column, form)
  if (dictionary.size <= SMALL_VALUES && (bytes?.length ?? 0) <= SMALL_BYTES) {
    const { dataset, path, type } = leaf
    const key = `cells\t${releaseId}\t${dataset}\t${path}\t${type}\t${form}`
    return scratch.cached(key, () => smallCells(dictionary.size, textOf))
  }
  const isText = leaf.printed.kind === 'text'
  if (numbers && leaf.printed.kind === 'integer' && !isDecimal(leaf.type)) {
    return {
      write: (code, sink) => sink.integer(numbers[code - 1]!),
      touch: (codes) => sumOf(codes, (code) => numbers[code - 1]!),
    }
  }
  const isQuoted = isText && form === 'json'
  if (bytes && dictionary.form !== 'text') {
    const dashed = dictionary.form === 'uuid'
    return {
      write(code, sink) {
        if (isQuoted) sink.byte(QUOTE)
        if (dashed) sink.uuid(bytes, (code - 1) * PACKED_BYTES)
        else sink.hex(bytes, (code - 1) * PACKED_BYTES)
        if (isQuoted) sink.byte(QUOTE)
      },
      touch: (codes) => sumOf(codes, (code) => bytes[(code - 1) * PACKED_BYTES]!),
    }
  }
  if (!bytes || !ends || isEscaped(leaf.printed.escaped, form)) {
    return { write: (code, sink) => sink.text(textOf(code)) }
  }
  const view = viewOf(bytes)
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
      for (let i = 0; i < codes.length; i++) starts[i] = ends[codes[i]! - 1]!
      for (let i = 0; i < codes.length; i++) {
        const start = starts[i]!
        sum += bytes[start]! + bytes[start + CACHE_LINE]! + (upper?.[start >> 3] ?? 0)
      }
      return sum
    },
  }
}

function sumOf(codes: Uint32Array, partOf: (code: number) => number): number {
  let sum = 0
  for (let i = 0; i < codes.length; i++) sum += partOf(codes[i]!)
  return sum
}

/** Most texts lie in two lines. */
const CACHE_LINE = 64

const NO_CELLS: Cells = Object.freeze({ write: () => {} })

const isDecimal = (type: LeafNode['leaf']['type']) => type === 'double' || type === 'float'

function isEscaped(escaped = 0, form: CellForm): boolean {
  if (form === 'plain') return false
  // Breaks are blanks in the cells of both.
  const bits = form === 'json' ? ESCAPED.json : ESCAPED.tsv | (form === 'csv' ? ESCAPED.csv : 0)
  return (escaped & bits) !== 0
}

/** What is written for each code. */
function formOf({ leaf, upper }: LeafNode, column: Column, form: CellForm) {
  const { kind } = leaf.printed
  const { dictionary, ends } = column
  const decimal = isDecimal(leaf.type)
  const scalarOf = (code: number): Scalar => {
    if (kind === 'integer' || kind === 'number') {
      return column.numbers ? dictionary.number(code) : Number(dictionary.text(code))
    }
    const text = dictionary.text(code)
    if (kind === 'boolean') return text === 'true'
    return upper && ends ? raised(Buffer.from(text), upper, ends[code - 1]!) : text
  }
  return (code: number): string => {
    const scalar = scalarOf(code)
    if (form === 'json') return JSON.stringify(scalar)
    if (form === 'plain') return String(scalar)
    const cell = cellOf(scalar, decimal)
    return form === 'csv' ? csvCell(cell) : cell
  }
}

function raised(text: Buffer, upper: Uint8Array, start: number): string {
  for (let i = 0; i < text.length; i++) {
    const at = start + i
    if (((upper[at >> 3]! >> (at & 7)) & 1) === 1) text[i] = text[i]! - 0x20
  }
  return text.toString()
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
  return {
    bytes: written.length + ends.byteLength,
    write: (code: number, to: ByteSink) => to.copy(view, ends[code - 1]!, ends[code]!),
  }
}

/** What ByteSink copies from. */
export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength)
