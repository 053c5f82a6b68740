import { open, rm } from 'node:fs/promises'
import { inOrder } from '../../../shared/concurrency/in-order.ts'
import { EngineError } from '../../../shared/errors.ts'
import { entrySpans, SPAN_ENTRIES } from './entries.ts'
import { extentsOf } from './gene-file.ts'
import type { GenesRun, PackedPart } from './genes-run.ts'
import type { SparseLayout } from './layout.ts'
import type { FileState } from './open-files.ts'
import { packGroupJob } from './pack-group.ts'
import { countJob, ENTRY_BYTES, spillJob } from './spill.ts'

interface SparseMatrix extends FileState {
  readonly layout: SparseLayout
  /** Index of the first entry of each cell, or of each gene if the matrix is stored by gene; see Matrix. */
  readonly starts: Float64Array
  /** Number of rows per chunk of a dense matrix; see Survey. */
  readonly rowsTogether: number
}

/** Maximum numbers of entries and of genes sorted in memory at a time. A gene may have an entry per cell. */
const GROUP_ENTRIES = 1 << 19
const GROUP_GENES = 1 << 12

/** Consecutive genes, with the range of their entries in the temporary file. */
interface Group {
  readonly firstRow: number
  readonly endRow: number
  readonly start: number
  readonly end: number
}

/**
 * Sorts the entries of a matrix by gene and encodes them as blocks. Reads the matrix twice: first to count
 * entries, then to write them to a temporary file, in groups of genes that fit in memory.
 * @throws EngineError `unavailable` if the temporary file cannot be created
 */
export async function* packSparse(matrix: SparseMatrix, run: GenesRun): AsyncGenerator<PackedPart> {
  const { executor, signal, priority, temporaryPath } = run
  const { genes, cells } = matrix.layout
  const groups = groupsOf(await countEntries(matrix, run))
  const file = await open(temporaryPath, 'w+').catch((cause: unknown) => {
    throw new EngineError('unavailable', 'no file for sorting can be made', { cause })
  })
  try {
    await spill(matrix, groups, (bytes, at) => writeAll(file, bytes, at), run)
    const extents = extentsOf(cells)
    const rest = groups.values()
    const source = { descriptor: file.fd, size: (groups.at(-1)?.end ?? 0) * ENTRY_BYTES }
    const start = (stop: AbortSignal) => {
      const { value: group } = rest.next()
      if (!group) return undefined
      const packed = executor.run(
        packGroupJob,
        { ...group, source, cells },
        { signal: stop, priority },
      )
      const blocks = { first: group.firstRow * extents, step: 1 }
      return packed.then((part) => ({ ...part, blocks }))
    }
    if (genes > 0) yield* inOrder(start, { ahead: executor.parallelism, signal })
  } finally {
    await file.close()
    await rm(temporaryPath, { force: true })
  }
}

const inputOf = ({ path, identity, layout, starts }: SparseMatrix) => ({
  path,
  identity,
  layout,
  starts,
})

/** Maximum number of entries of a dense matrix per job. Taller chunks are decompressed repeatedly. */
const MAX_TABLE_ENTRIES = 1 << 22

/** Yields ranges of entries. In a dense matrix, they cover whole chunks if these fit in memory. */
function spansOf({ layout, starts, rowsTogether }: SparseMatrix) {
  if (layout.indices !== undefined) return entrySpans(starts)
  const chunks = Math.max(1, rowsTogether * layout.genes)
  const together = chunks * Math.max(1, Math.floor(SPAN_ENTRIES / chunks))
  return entrySpans(starts, Math.min(together, MAX_TABLE_ENTRIES))
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, bytes: Uint8Array, at: number) {
  for (let written = 0; written < bytes.length; ) {
    const left = bytes.length - written
    written += (await file.write(bytes, written, left, at + written)).bytesWritten
  }
}

async function countEntries(matrix: SparseMatrix, run: GenesRun): Promise<Uint32Array> {
  const { layout } = matrix
  const counts = new Uint32Array(new SharedArrayBuffer(4 * layout.genes))
  const spans = spansOf(matrix)
  const start = (signal: AbortSignal) => {
    const { value: span } = spans.next()
    const input = span && { ...inputOf(matrix), ...span, counts }
    return input && run.executor.run(countJob, input, { signal, priority: run.priority })
  }
  for await (const _ of inOrder(start, { ahead: run.executor.parallelism, signal: run.signal }));
  return counts
}

function groupsOf(counts: Uint32Array): readonly Group[] {
  const groups: Group[] = []
  let [firstRow, start, end] = [0, 0, 0]
  for (const [row, count] of counts.entries()) {
    const isFull = end - start + count > GROUP_ENTRIES || row - firstRow === GROUP_GENES
    if (isFull && row > firstRow) {
      groups.push({ firstRow, endRow: row, start, end })
      firstRow = row
      start = end
    }
    end += count
  }
  if (counts.length > firstRow) groups.push({ firstRow, endRow: counts.length, start, end })
  return groups
}

/** Writes entries to the temporary file, grouped by gene. Entries of a group keep their order in the file. */
async function spill(
  matrix: SparseMatrix,
  groups: readonly Group[],
  write: (bytes: Uint8Array, at: number) => Promise<void>,
  { executor, signal, priority }: GenesRun,
): Promise<void> {
  const groupOf = new Uint32Array(new SharedArrayBuffer(4 * matrix.layout.genes))
  for (const [i, { firstRow, endRow }] of groups.entries()) groupOf.fill(i, firstRow, endRow)
  const next = groups.map(({ start }) => start)
  const spans = spansOf(matrix)
  const start = (stop: AbortSignal) => {
    const { value: span } = spans.next()
    const input = span && { ...inputOf(matrix), ...span, groupOf, groups: groups.length }
    return input && executor.run(spillJob, input, { signal: stop, priority })
  }
  const spilled = inOrder(start, { ahead: executor.parallelism, signal })
  for await (const { bytes, groups: filled, ends } of spilled) {
    for (const [i, group] of filled.entries()) {
      const [from, to] = [i === 0 ? 0 : (ends[i - 1] ?? 0), ends[i] ?? 0]
      const at = next[group] ?? 0
      await write(bytes.subarray(ENTRY_BYTES * from, ENTRY_BYTES * to), ENTRY_BYTES * at)
      next[group] = at + to - from
    }
  }
}
