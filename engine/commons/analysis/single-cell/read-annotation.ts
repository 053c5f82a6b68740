import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { Executor } from '../../../shared/executor.ts'
import { annotatedJob, placeOf } from './annotations.ts'
import type { FileState } from './open-files.ts'

interface AnnotationRead {
  readonly state: FileState
  readonly annotation: string
  /** Number of cells in the whole file. */
  readonly cells: number
  /** Number of cells per job. */
  readonly chunkCells: number
}

interface AnnotationRun {
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  readonly priority?: number
}

/**
 * Yields, for each chunk of cells in file order, the index of each cell's value.
 * @param places index of each value; new values are added in order of appearance
 * @throws EngineError bad_input for an annotation with too many values or too long ones; corrupt_source if
 *   the file has no such annotation or cannot be read
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
    // A job numbers the values within its own chunk. Here, these numbers are mapped to the numbers of the whole file.
    yield chunk.codes.map((code) => here[code] ?? 0)
  }
}
