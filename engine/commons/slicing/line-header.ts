import type { WithSource } from '../../shared/blobs/blob.ts'
import { damage } from '../../shared/blobs/source.ts'
import type { SliceableFormat } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { MAX_HEADER_BYTES } from '../../shared/formats/bam.ts'
import { contigsOf, FIRST_SAMPLE, titlesFlaw } from '../../shared/formats/bcf.ts'
import type { IndexedLines, LineLayout } from '../../shared/formats/tabix.ts'
import { BlockReader, type InflatedBlock, LONG_WINDOW_BYTES } from './block-reader.ts'
import { type AlignmentHeader, mustBeFew, packHeader } from './header.ts'

interface LineHeaderInput extends WithSource {
  /** Layout of the lines, from the file's index. */
  readonly lines: IndexedLines
}

/**
 * Reads the header of a line-based file: the first lines, up to the first one that is a record according to the
 * index. References that only the header declares come after those of the index, since they have no records.
 * @throws EngineError corrupt_source; no_index if the index is for other lines
 */
export const lineHeaderJob: Job<LineHeaderInput, AlignmentHeader> = {
  name: 'slicing.line-header',
  transfer: ({ packed }) => [packed.buffer],
  run({ source, lines: { layout, names } }, scratch) {
    const compressed: Uint8Array[] = []
    const reader = new BlockReader(source, scratch.bytes('window', LONG_WINDOW_BYTES), {
      observe: (block, bytes) => {
        if (block.bytes.length > 0) compressed.push(Uint8Array.from(bytes))
      },
    })
    const walk = new HeaderWalk(layout)
    const parts: Uint8Array[] = []
    let next = 0
    let last: InflatedBlock | undefined
    let inner: number | undefined
    while (inner === undefined) {
      last = reader.from(next)
      if (!last) break
      inner = walk.end(last.bytes)
      parts.push(last.bytes.subarray(0, inner))
      if (walk.length > MAX_HEADER_BYTES) throw damage('header is too long; it reaches', last.next)
      next = last.next
    }
    const text = Buffer.concat(parts).toString()
    const format = formatOf(layout, text)
    const declared = format === 'VCF' ? [...contigsOf(text.split('\n'))] : []
    const isCutByEmptyLine = inner !== undefined && last?.bytes[inner] === NEWLINE
    const all = [...new Set([...names, ...declared.map(({ name }) => name)])]
    mustBeFew(all.length)
    return {
      fileFormat: format,
      format: {
        kind: 'lines',
        layout,
        hasEnd: declaresEnd(text),
        numbers: all.map((name, number) => [name, number] as const),
        samples: format === 'VCF' ? samplesIn(text) : undefined,
      },
      names: all,
      lengths: new Uint32Array(0),
      sortOrder: 'coordinate',
      // An empty line in the header is named by its number when the records are read.
      flaw: format === 'VCF' && !isCutByEmptyLine ? flawOf(text) : undefined,
      packed: packHeader(
        compressed,
        inner === undefined ? undefined : last?.bytes.subarray(0, inner),
        scratch,
      ),
      // If the first record starts at the start of a block, this block is not part of the header.
      firstBlock: inner === undefined ? next : (last?.offset ?? next),
      firstInner: inner ?? 0,
    }
  },
}

const NEWLINE = 10

/** Returns why bcftools rejects a VCF header. It takes the first line without a second # as column names. */
function flawOf(header: string): string | undefined {
  const titles = titlesOf(header)
  if (titles === undefined) return 'its header has no line #CHROM'
  return titlesFlaw(titles.replace(/\r$/, ''))
}

const titlesOf = (header: string) => /^#(?!#).*$/m.exec(header)?.[0]

/** Returns the number of samples of a VCF header without flaws. */
const samplesIn = (header: string) =>
  Math.max(0, (titlesOf(header)?.split('\t').length ?? 0) - FIRST_SAMPLE)

/** Searches for the first record line, block by block. */
class HeaderWalk {
  readonly #layout: LineLayout
  #isLineStart = true
  #lines = 0
  length = 0

  constructor(layout: LineLayout) {
    this.#layout = layout
  }

  /** Returns the offset at which the header ends, or undefined if it continues after these bytes. */
  end(bytes: Uint8Array): number | undefined {
    const { meta, skip } = this.#layout
    let at = 0
    while (at < bytes.length) {
      if (this.#isLineStart && this.#lines >= skip && bytes[at] !== meta) return at
      const newline = bytes.indexOf(NEWLINE, at)
      this.#isLineStart = newline >= 0
      if (newline < 0) break
      this.#lines++
      at = newline + 1
    }
    this.length += bytes.length
    return undefined
  }
}

/** Marks errors (in `at`) about the first line. */
export const FIRST_LINE = 'line 1'

/**
 * Returns the format of the file.
 * @throws EngineError no_index, bad_input
 */
function formatOf(layout: LineLayout, header: string): SliceableFormat {
  const isVcf = /^##fileformat=VCF/.test(header)
  if (!isVcf && layout.preset === 'VCF') {
    const message = 'it does not begin with ##fileformat=VCF, and its index is one of VCF'
    throw new EngineError('bad_input', message, { at: FIRST_LINE })
  }
  if (isVcf && layout.preset !== 'VCF') {
    throw new EngineError('no_index', 'file is VCF, and its index is not one of VCF')
  }
  if (isVcf) return 'VCF'
  if (layout.isZeroBased) return 'BED'
  const { nameColumn, startColumn, endColumn } = layout
  return nameColumn === 1 && startColumn === 4 && endColumn === 5 ? 'GFF' : 'TSV'
}

/** Returns whether the header declares `END` as an integer. Otherwise bcftools ignores it. */
function declaresEnd(header: string): boolean {
  const line = /^##INFO=<(?:.*,)?ID=END[,>].*$/m.exec(header)?.[0]
  return line !== undefined && /[<,]Type=Integer[,>]/.test(line)
}
