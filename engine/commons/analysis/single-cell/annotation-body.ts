import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { type AnnotationFacts, annotationsJob } from './annotations.ts'
import { MAX_CELLS } from './matrix.ts'
import type { FileState } from './open-files.ts'
import { readAnnotation } from './read-annotation.ts'

export interface RequestedAnnotation {
  readonly caseId: string | null
  readonly fileId: string
  /** Name of the requested annotation. Undefined requests only the list of annotations. */
  readonly annotation: string | undefined
}

/** Response body of `/scrna_seq/cell_annotations`. */
export interface CellAnnotations {
  readonly case_id: string | null
  readonly file_id: string
  readonly cells: number
  readonly annotations: readonly AnnotationFacts[]
  readonly annotation?: {
    readonly name: string
    /** Distinct values, in order of first occurrence in the file. */
    readonly values: readonly string[]
    /** Index in `values` for each cell, in file order. */
    readonly codes: readonly number[]
  }
}

interface AnnotationRun {
  readonly state: FileState
  readonly executor: Executor
  readonly signal: AbortSignal
}

/** Number of cells per job. A job takes a few milliseconds. */
const CHUNK_CELLS = 16_384

/**
 * Returns the annotations of the cells in a file, and the values of the requested annotation.
 * @throws EngineError bad_input for an annotation that the file does not have or that has too many values;
 *   too_large, corrupt_source
 */
export async function cellAnnotations(
  { caseId, fileId, annotation }: RequestedAnnotation,
  { state, executor, signal }: AnnotationRun,
): Promise<CellAnnotations> {
  const input = { ...state, mostCells: MAX_CELLS }
  const { cells, annotations } = await executor.run(annotationsJob, input, { signal })
  const found = { case_id: caseId, file_id: fileId, cells, annotations }
  if (annotation === undefined) return found
  if (!annotations.some(({ name }) => name === annotation)) throw noneSuch(annotation, annotations)
  const read = { state, annotation, cells, chunkCells: CHUNK_CELLS }
  const places = new Map<string, number>()
  const codes: number[] = []
  for await (const chunk of readAnnotation(read, places, { executor, signal })) codes.push(...chunk)
  return { ...found, annotation: { name: annotation, values: [...places.keys()], codes } }
}

/** @param known annotations of the file, for the message */
export function noneSuch(annotation: string, known: readonly AnnotationFacts[]): EngineError {
  const names = known.map(({ name }) => `"${name}"`).join(', ')
  const message = `the file has no annotation "${annotation.slice(0, 80)}" of its cells; ${names === '' ? 'it has none' : `give one of ${names}`}`
  return new EngineError('bad_input', message, { at: 'annotation' })
}
