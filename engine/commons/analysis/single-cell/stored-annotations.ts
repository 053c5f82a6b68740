import type { LocalSource } from '../../../shared/blobs/source.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import { type CellAnnotations, noneSuch, type RequestedAnnotation } from './annotation-body.ts'
import { type Block, blockOf, readBlock } from './block-file.ts'
import type { BodyRun } from './expression-body.ts'
import { extentsOf, type StoredAnnotations, type StoredError } from './gene-file.ts'
import type { OpenGenes } from './open-genes.ts'

interface CodesInput {
  readonly source: LocalSource
  readonly blocks: readonly Block[]
}

/** Reads blocks of annotation values and concatenates them. */
export const storedCodesJob: Job<CodesInput, Uint8Array<ArrayBuffer>> = {
  name: 'single-cell.stored-codes',
  run({ source, blocks }) {
    const codes = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const block of blocks) {
      readBlock(block, source, codes.subarray(at, at + block.length))
      at += block.length
    }
    return codes
  },
  transfer: ({ buffer }) => [buffer],
}

/**
 * Returns annotations like `cellAnnotations`, but from the copy in the data folder instead of the HDF5 file.
 * @throws EngineError as cellAnnotations; corrupt_source also if the copy is damaged
 */
export async function storedAnnotations(
  { caseId, fileId, annotation }: RequestedAnnotation,
  { directory: { cells }, source }: OpenGenes,
  { list, error, codes: blocks }: StoredAnnotations,
  { executor, signal }: BodyRun,
): Promise<CellAnnotations> {
  if (error) throw errorOf(error)
  const annotations = list.map(({ name, kind }) => ({ name, kind }))
  const found = { case_id: caseId, file_id: fileId, cells, annotations }
  if (annotation === undefined) return found
  const place = list.findIndex(({ name }) => name === annotation)
  const stored = list[place]
  if (!stored) throw noneSuch(annotation, annotations)
  if ('error' in stored) throw errorOf(stored.error)
  const extents = extentsOf(cells)
  const input = {
    source,
    blocks: Array.from({ length: extents }, (_, i) => blockOf(blocks, place * extents + i)),
  }
  const codes = await executor.run(storedCodesJob, input, { signal })
  const { name, values } = stored
  return { ...found, annotation: { name, values, codes: Array.from(codes) } }
}

const errorOf = ({ code, message, at }: StoredError) =>
  new EngineError(code, message, at === undefined ? {} : { at })
