import type { LocalSource } from '../../../shared/blobs/source.ts'
import type { Job, Scratch } from '../../../shared/executor.ts'
import { type Block, damagedBlock, readBlock } from './block-file.ts'
import { unpackNames } from './cell-names.ts'
import { type CellTemplate, mostPrintedBytes, templateOf } from './cell-template.ts'
import { printInto } from './cells.ts'
import { unpackNumbers } from './number-block.ts'

/** Part of a response: literal text, or a range of cells of one gene. */
export type Part =
  | string
  | {
      readonly numbers: Block
      readonly names: Block
      readonly cells: number
    }

interface PrintInput {
  readonly source: LocalSource
  /** Cache key, unique for the file and its state. */
  readonly key: string
  readonly parts: readonly Part[]
}

/** Prints consecutive parts of a response, from values that are sorted by gene. */
export const printGenesJob: Job<PrintInput, Uint8Array<ArrayBuffer>> = {
  name: 'single-cell.print-genes',
  run({ source, key, parts }, scratch) {
    const chunks = parts.map((part) =>
      typeof part === 'string'
        ? { text: part, most: Buffer.byteLength(part) }
        : withTemplate(part, templateFor(part, source, key, scratch)),
    )
    const most = chunks.reduce((sum, chunk) => sum + chunk.most, 0)
    const target = scratch.bytes('single-cell.cells', most)
    let at = 0
    for (const chunk of chunks) {
      if ('text' in chunk) at += target.write(chunk.text, at)
      else {
        const numbers = numbersOf(chunk.numbers, chunk.cells, source, scratch)
        at = printInto(target, at, { template: chunk.template, numbers, scratch })
      }
    }
    return new Uint8Array(target.subarray(0, at))
  },
  transfer: (bytes) => [bytes.buffer],
}

const withTemplate = (part: Exclude<Part, string>, template: CellTemplate) => ({
  ...part,
  template,
  most: mostPrintedBytes(template),
})

function templateFor(
  { names, cells }: Exclude<Part, string>,
  source: LocalSource,
  key: string,
  scratch: Scratch,
): CellTemplate {
  return scratch.cached(JSON.stringify(['single-cell.template', key, names.offset]), () => {
    const bytes = readBlock(names, source, new Uint8Array(names.length))
    const unpacked = unpackNames(bytes, cells)
    if (!unpacked) throw damagedBlock()
    return templateOf(unpacked)
  })
}

function numbersOf(
  block: Block,
  cells: number,
  source: LocalSource,
  scratch: Scratch,
): Float64Array {
  const packed = readBlock(block, source, scratch.bytes('single-cell.block', block.length))
  const { buffer } = scratch.bytes('single-cell.numbers', 8 * cells)
  const numbers = new Float64Array(buffer as ArrayBuffer, 0, cells)
  if (!unpackNumbers(packed, numbers)) throw damagedBlock()
  return numbers
}
