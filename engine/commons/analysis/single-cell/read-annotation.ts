import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { Executor } from '../../../shared/executor.ts'
import { annotatedJob, placeOf } from './annotations.ts'
import type { FileState } from './open-files.ts'

export interface AnnotationRead {
  readonly state: FileState
  readonly annotation: string
  /** Of the whole file. */
  readonly cells: number
  /** What one job reads. */
  readonly chunkCells: number
}

export interface AnnotationRun {
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  readonly priority?: number
}

/**
 * Which value of an annotation each cell has, in chunks, in the order of the file.
 * @param places is given the values, numbered as they come
 * @throws EngineError bad_input for an annotation of too many values; corrupt_source
 */
export async function* readAnnotation(
  { state, annotation, cells, chunkCells }: AnnotationRead,
  places: Map<string, number>,
  { executor, signal, priority = 0 }: AnnotationRun,
): AsyncGenerator<Uint8Array> {
  let next = 0
  const start = (stop: AbortSignal) => {
    if (next >= cells) return undefined
    const span = { start: next, end: Math.min(next + chunkCells, cells) }
    next = span.end
    return executor.run(annotatedJob, { ...state, annotation, ...span }, { signal: stop, priority })
  }
  for await (const chunk of inOrder(start, { ahead: executor.parallelism + 1, signal })) {
    const here = chunk.values.map((value) => placeOf(value, places, annotation))
    yield chunk.codes.map((code) => here[code] ?? 0)
  }
}
