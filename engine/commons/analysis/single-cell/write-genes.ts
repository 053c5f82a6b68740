import { open, rm } from 'node:fs/promises'
import { inOrder } from '../../../shared/concurrency/in-order.ts'
import { BlockFile, type BlockList, emptyBlocks } from './block-file.ts'
import { cellNamesJob, packNames } from './cell-names.ts'
import { extentsOf, type GeneDirectory, type GenePaths, saveGeneDirectory } from './gene-file.ts'
import type { GenesRun, PackedPart } from './genes-run.ts'
import type { DenseLayout } from './layout.ts'
import { MAX_CELLS } from './matrix.ts'
import { EXTENT_CELLS } from './number-block.ts'
import type { FileState } from './open-files.ts'
import { packRowsJob } from './pack-rows.ts'
import { packSparse } from './sort-entries.ts'
import { type Survey, surveyJob } from './survey.ts'
import { writeAnnotations } from './write-annotations.ts'

/** Bytes of a dense matrix that a job decompresses, which takes some tens of milliseconds. */
const TOGETHER_BYTES = 4 << 20
/**
 * Limit for a job whose HDF5 chunks have more rows than TOGETHER_BYTES allow, in decompressed bytes of one cell
 * range. A chunk with even more rows is divided among several jobs, and each of them decompresses it.
 */
const MAX_BYTES = 16 << 20

/**
 * Writes `paths.numbers`, the values of a local HDF5 file sorted by gene, and then `paths.directory`, the places
 * of its blocks. Memory is bounded. When the promise resolves, both are complete and on disk. If it rejects,
 * neither exists: the directory gets its name only when it is complete.
 * @returns the names of the file's other matrices, which are not read
 * @throws EngineError bad_input for a file that is not HDF5 or has another layout; corrupt_source for a damaged
 *   one, or one that changes meanwhile; too_large; unavailable
 */
export async function writeGenes(
  state: FileState,
  paths: GenePaths,
  run: GenesRun,
): Promise<readonly string[]> {
  const { executor, signal, priority } = run
  const survey = await executor.run(
    surveyJob,
    { ...state, mostCells: MAX_CELLS },
    { signal, priority },
  )
  const file = await open(paths.numbers, 'w')
  try {
    const out = new BlockFile(file)
    const cellNames = await writeNames(state, survey, out, run)
    const annotations = await writeAnnotations(state, survey.layout, out, run)
    const numbers = await writeNumbers(state, survey, out, run)
    await file.sync()
    const directory: GeneDirectory = {
      ...survey.genes,
      cells: survey.layout.cells,
      numbers,
      cellNames,
      annotations,
    }
    await saveGeneDirectory(paths.directory, directory, state.identity)
    return survey.layout.unread
  } catch (error) {
    await rm(paths.numbers, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function writeNames(
  state: FileState,
  { layout: { cells, cellsPath } }: Survey,
  out: BlockFile,
  { executor, signal, priority }: GenesRun,
): Promise<BlockList> {
  const list = emptyBlocks(extentsOf(cells))
  for (let extent = 0; extent < list.offset.length; extent++) {
    const start = extent * EXTENT_CELLS
    const input = { ...state, cellsPath, start, end: Math.min(start + EXTENT_CELLS, cells) }
    const bytes = packNames(await executor.run(cellNamesJob, input, { signal, priority }))
    await out.addTo(list, extent, bytes)
  }
  return list
}

async function writeNumbers(
  state: FileState,
  survey: Survey,
  out: BlockFile,
  run: GenesRun,
): Promise<BlockList> {
  const { layout, rowsTogether, starts = new Float64Array(1) } = survey
  const extents = extentsOf(layout.cells)
  const list = emptyBlocks(layout.genes * extents)
  const parts =
    layout.kind === 'dense'
      ? packTable(state, layout, rowsTogether, run)
      : packSparse({ ...state, layout, starts, rowsTogether }, run)
  for await (const { blocks, bytes, lengths, checksums } of parts) {
    let at = await out.add(bytes)
    for (const [i, length] of lengths.entries()) {
      const block = blocks.first + i * blocks.step
      list.offset[block] = at
      list.length[block] = length
      list.checksum[block] = checksums[i] ?? 0
      // BlockWriter pads each block to a multiple of 8 bytes.
      at += length + (-length & 7)
    }
  }
  return list
}

async function* packTable(
  state: FileState,
  { genes, cells }: DenseLayout,
  rowsTogether: number,
  { executor, signal, priority }: GenesRun,
): AsyncGenerator<PackedPart> {
  const spans = tableSpans(genes, cells, rowsTogether)
  const extents = extentsOf(cells)
  const start = (stop: AbortSignal) => {
    const { value: span } = spans.next()
    if (!span) return undefined
    const first = span.firstRow * extents + span.start / EXTENT_CELLS
    const packed = executor.run(packRowsJob, { ...state, ...span }, { signal: stop, priority })
    return packed.then((part) => ({ ...part, blocks: { first, step: extents } }))
  }
  yield* inOrder(start, { ahead: executor.parallelism, signal })
}

/**
 * Divides a dense matrix into one part for each job. A part is one cell range wide and has as many whole HDF5
 * chunks of rows as TOGETHER_BYTES allow or, of a taller chunk, as many rows as MAX_BYTES allow.
 * @param rowsTogether number of rows in a chunk
 */
export function* tableSpans(genes: number, cells: number, rowsTogether: number) {
  const rowBytes = 8 * Math.max(Math.min(cells, EXTENT_CELLS), 1)
  const together = Math.max(1, Math.floor(TOGETHER_BYTES / rowBytes))
  const most = Math.max(1, Math.floor(MAX_BYTES / rowBytes))
  const rows =
    rowsTogether <= together
      ? together - (together % Math.max(rowsTogether, 1))
      : Math.min(rowsTogether, most)
  for (let firstRow = 0; firstRow < genes; firstRow += rows) {
    const endRow = Math.min(firstRow + rows, genes)
    for (let start = 0; start < cells; start += EXTENT_CELLS) {
      yield { firstRow, endRow, start, end: Math.min(start + EXTENT_CELLS, cells) }
    }
  }
  return undefined
}
