import { unzip } from '@gmod/bgzf-filehandle'
import { TabixIndexedFile } from '@gmod/tabix'
import { BlobFilehandle } from '../../../shared/blobs/blob-filehandle.ts'
import { openFile } from '../../../shared/blobs/folder-store.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor, Job } from '../../../shared/executor.ts'
import { BLOCK_HEADER_BYTES, plainBlocks } from '../../../shared/formats/bgzf.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { type LinePlace, placeLine } from '../../../shared/formats/tabix.ts'
import { type Alignment, indexPathOf, readIndex } from '../alignment.ts'
import type { AlignmentParts } from '../parts.ts'
import { LineNames } from '../records/line-cursor.ts'
import type { LineFormat } from '../records/record-format.ts'
import { DEFAULT_LIMITS, Slicer, WHOLE } from '../slicer.ts'
import { walkPieces } from './record-pieces.ts'
import type { RecordBytes } from './walk.ts'

/** Number of lines of a reference that a region can contain, and the start of the last one, 0-based. */
interface LinesOfReference {
  lines: number
  lastStart: number
}

/** Lines by reference number. */
type LineCounts = Map<number, LinesOfReference>

interface CountLinesInput extends RecordBytes {
  readonly format: LineFormat
}

interface CountLinesOutput {
  readonly rest: Uint8Array<ArrayBuffer>
  readonly counts: LineCounts
}

const NEWLINE = 10

/** Counts the lines of verified blocks with our own reader. */
export const countLinesJob: Job<CountLinesInput, CountLinesOutput> = {
  name: 'slicing.count-lines',
  transfer: ({ rest }) => [rest.buffer],
  async run({ blocks, rest, format }) {
    const inflated = await unzip(plainBlocks(blocks))
    const bytes = rest.length === 0 ? inflated : Buffer.concat([rest, inflated])
    const counts: LineCounts = new Map()
    const names = new LineNames(format)
    const place: LinePlace = { nameFrom: 0, nameTo: 0, start: 0, end: 0 }
    let at = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
      placeOrRefuse(bytes, at, end, format, place)
      // A telomere of VCF, at position 0, is in no region.
      if (place.start >= 0) add(counts, names.numberOf(bytes, place), 1, place.start)
      at = end + 1
    }
    return { rest: Uint8Array.from(bytes.subarray(at)), counts }
  },
}

function placeOrRefuse(...line: Parameters<typeof placeLine>): void {
  try {
    placeLine(...line)
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new EngineError('corrupt_source', `file is damaged: ${cause.message}`, { cause })
  }
}

function add(counts: LineCounts, reference: number, lines: number, lastStart: number): void {
  const known = counts.get(reference)
  if (known) {
    known.lines += lines
    known.lastStart = Math.max(known.lastStart, lastStart)
  } else counts.set(reference, { lines, lastStart })
}

interface CountedLines {
  readonly alignment: Alignment
  readonly counts: LineCounts
}

/** Counts the lines of a file with our own reader, from beginning to end and without an index. */
async function countLines(
  parts: AlignmentParts,
  executor: Executor,
  signal?: AbortSignal,
): Promise<CountedLines> {
  await using slicer = new Slicer(executor, DEFAULT_LIMITS)
  await using records = await slicer.records(parts, WHOLE, { signal })
  const { alignment, body } = records
  const { format } = alignment.header
  if (format.kind !== 'lines') throw new EngineError('bad_input', 'the file is not one of lines')
  const make = (bytes: RecordBytes) =>
    executor.run(countLinesJob, { ...bytes, format }, { signal, priority: 1 })
  const all: LineCounts = new Map()
  // The other reader drops a last line that has no line break, so this line is not compared.
  for await (const { counts } of walkPieces(body, make)) {
    for (const [reference, { lines, lastStart }] of counts) add(all, reference, lines, lastStart)
  }
  return { alignment, counts: all }
}

/** Cache of a single piece of a file: 5 MB compressed, if the bins of the index permit. */
const ONE_PIECE = 1 << 16

/**
 * Yields the differences between two independent readers of a file's lines. Ours reads the whole file;
 * `@gmod/tabix` finds all lines of each reference through the index.
 * @throws EngineError as Slicer.records; no_index
 */
export async function* lineDisagreements(
  parts: AlignmentParts,
  executor: Executor,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const { alignment, counts } = await countLines(parts, executor, signal)
  // The library always skips eighteen bytes per block, even if the block's header is longer.
  if (await hasSubfields(parts)) return
  await using file = await openTabix(alignment, executor)
  try {
    yield* differences(alignment, counts, file.tabix, signal)
  } catch (error) {
    if (signal?.aborted || error instanceof EngineError) throw error
    yield `@gmod/tabix cannot read the file by its index: ${error}`
  }
}

async function hasSubfields({ open }: AlignmentParts): Promise<boolean> {
  const blob = await open()
  try {
    const head = Buffer.alloc(BLOCK_HEADER_BYTES)
    await blob.read(head, 0)
    return head.readUInt16LE(10) !== BLOCK_HEADER_BYTES - 12
  } finally {
    await blob.close()
  }
}

async function* differences(
  { header: { names, fileFormat } }: Alignment,
  counts: LineCounts,
  tabix: TabixIndexedFile,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const isVcf = fileFormat === 'VCF'
  for (const [reference, { lines, lastStart }] of counts) {
    const name = names[reference]
    if (name === undefined) {
      yield `${lines} lines of references that the index does not name`
      continue
    }
    let others = 0
    // The range starts at -1, because the library reads an end like INFO/END=+5, which is not a plain number, as
    // 0. No signal is passed, because the library would keep each piece in memory as long as the signal exists.
    await tabix.getLines(name, -1, lastStart + 1, (_line, _offset, start) => {
      signal?.throwIfAborted()
      if (!isVcf || start >= 0) others++
    })
    if (others !== lines) yield `${lines} lines of ${name} by our reader; ${others} by @gmod/tabix`
  }
}

interface OpenTabix extends AsyncDisposable {
  readonly tabix: TabixIndexedFile
}

async function openTabix(alignment: Alignment, executor: Executor): Promise<OpenTabix> {
  const { binFloor } = await readIndex(alignment, executor)
  const path = await indexPathOf(alignment.parts)
  if (path === undefined) throw new EngineError('no_index', 'the index of the file is gone')
  const blob = await alignment.parts.open()
  const index = await openFile(path).catch(async (error) => {
    await blob.close()
    throw error
  })
  const indexFile = new BlobFilehandle(index)
  return {
    tabix: new TabixIndexedFile({
      filehandle: new BlobFilehandle(blob),
      ...(binFloor ? { csiFilehandle: indexFile } : { tbiFilehandle: indexFile }),
      chunkCacheSize: ONE_PIECE,
    }),
    [Symbol.asyncDispose]: async () => {
      await blob.close()
      await index.close()
    },
  }
}
