import { annotatedJob, annotationsJob, placeOf } from './annotations.ts'
import { type BlockFile, emptyBlocks } from './block-file.ts'
import { extentsOf, type KeptAnnotation, type KeptAnnotations, type Refusal } from './gene-file.ts'
import type { GenesRun } from './genes-run.ts'
import { MAX_CELLS } from './matrix.ts'
import type { MatrixLayout } from './matrix-layout.ts'
import { EXTENT_CELLS } from './number-block.ts'
import type { FileState } from './open-files.ts'
import { isUnreadable } from './unreadable.ts'

/**
 * Keeps what an HDF5 file says of its cells besides numbers of genes: of each annotation its values, and
 * of each cell which of them it has. What cannot be read, or does not group cells, is kept as the
 * refusal that whoever asks for it gets.
 */
export async function writeAnnotations(
  state: FileState,
  { cells }: Pick<MatrixLayout, 'cells'>,
  out: BlockFile,
  { executor, signal, priority }: GenesRun,
): Promise<KeptAnnotations> {
  const how = { signal, priority }
  const input = { ...state, mostCells: MAX_CELLS }
  const found = await orRefusal(executor.run(annotationsJob, input, how))
  if ('refused' in found) return { list: [], ...found, codes: emptyBlocks(0) }
  const extents = extentsOf(cells)
  const codes = emptyBlocks(found.annotations.length * extents)
  const list: KeptAnnotation[] = []
  for (const [index, facts] of found.annotations.entries()) {
    list.push({ ...facts, ...(await orRefusal(writeCodes(facts.name, index * extents))) })
  }
  return { list, codes }

  async function writeCodes(annotation: string, firstBlock: number) {
    const places = new Map<string, number>()
    for (let extent = 0; extent < extents; extent++) {
      const start = extent * EXTENT_CELLS
      const span = { start, end: Math.min(start + EXTENT_CELLS, cells) }
      const read = await executor.run(annotatedJob, { ...state, annotation, ...span }, how)
      const here = read.values.map((value) => placeOf(value, places, annotation))
      const bytes = read.codes.map((code) => here[code] ?? 0)
      await out.addTo(codes, firstBlock + extent, bytes)
    }
    return { values: [...places.keys()] }
  }
}

/** What is wrong with the file itself keeps nothing else from being kept. */
async function orRefusal<Value extends object>(
  work: Promise<Value>,
): Promise<Value | { readonly refused: Refusal }> {
  try {
    return await work
  } catch (error) {
    if (!isUnreadable(error)) throw error
    const { code, message, at } = error
    return { refused: { code, message, at } }
  }
}
