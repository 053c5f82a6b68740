import { annotationsJob } from './annotations.ts'
import { type BlockFile, emptyBlocks } from './block-file.ts'
import {
  extentsOf,
  type StoredAnnotation,
  type StoredAnnotations,
  type StoredError,
} from './gene-file.ts'
import type { GenesRun } from './genes-run.ts'
import type { MatrixLayout } from './layout.ts'
import { MAX_CELLS } from './matrix.ts'
import { EXTENT_CELLS } from './number-block.ts'
import type { FileState } from './open-files.ts'
import { readAnnotation } from './read-annotation.ts'
import { isUnreadable } from './unreadable.ts'

/**
 * Stores the annotations of the cells in an HDF5 file: the distinct values of each annotation, and for each cell
 * the index of its value. If an annotation cannot be read or has too many values, stores the error instead, and
 * requests for the annotation get it.
 */
export async function writeAnnotations(
  state: FileState,
  { cells }: Pick<MatrixLayout, 'cells'>,
  out: BlockFile,
  { executor, signal, priority }: GenesRun,
): Promise<StoredAnnotations> {
  const how = { executor, signal, priority }
  const input = { ...state, mostCells: MAX_CELLS }
  const found = await orError(executor.run(annotationsJob, input, { signal, priority }))
  if ('error' in found) return { list: [], ...found, codes: emptyBlocks(0) }
  const extents = extentsOf(cells)
  const codes = emptyBlocks(found.annotations.length * extents)
  const list: StoredAnnotation[] = []
  for (const [index, facts] of found.annotations.entries()) {
    list.push({ ...facts, ...(await orError(writeCodes(facts.name, index * extents))) })
  }
  return { list, codes }

  async function writeCodes(annotation: string, firstBlock: number) {
    const read = { state, annotation, cells, chunkCells: EXTENT_CELLS }
    const places = new Map<string, number>()
    let block = firstBlock
    for await (const bytes of readAnnotation(read, places, how)) {
      await out.addTo(codes, block++, bytes)
    }
    return { values: [...places.keys()] }
  }
}

async function orError<Value extends object>(
  work: Promise<Value>,
): Promise<Value | { readonly error: StoredError }> {
  try {
    return await work
  } catch (cause) {
    if (!isUnreadable(cause)) throw cause
    const { code, message, at } = cause
    return { error: { code, message, at } }
  }
}
