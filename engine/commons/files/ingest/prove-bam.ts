import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { mustBeBam, openAlignment, readIndex } from '../../slicing/alignment.ts'
import { buildDirectory } from '../../slicing/build-directory.ts'
import type { StoredDirectory } from '../../slicing/directory.ts'
import { explainError, explainOrder } from '../../slicing/explain-file.ts'
import type { AlignmentHeader } from '../../slicing/header.ts'
import { localAlignment } from '../../slicing/parts.ts'
import type { ImportProgress } from './import-progress.ts'

/** What one pass over a BAM file that can be sliced has found. */
export interface BamProof {
  readonly directory: StoredDirectory
  readonly indexPath: string | undefined
  readonly warnings: readonly string[]
}

export interface ProofRun {
  readonly executor: Executor
  /** Keeps what is done, so that a pass that is broken off goes on where it was. */
  readonly progress: ImportProgress
  readonly signal: AbortSignal
  /** Called with the bytes of the file that are done. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/**
 * Proves every block and the sort order of a BAM file, and that its index belongs to it. What order its
 * header states does not count.
 * @throws EngineError bad_input when it is not sorted or no BAM file, corrupt_source, no_index; each
 *   names the file
 */
export async function proveBam(
  path: string,
  indexPath: string | undefined,
  run: ProofRun,
): Promise<BamProof> {
  try {
    return await proved(path, indexPath, run)
  } catch (error) {
    const explained = await explainError(error, path)
    // Of a BAM file nothing else is bad input here.
    const isOrder =
      explained === error && error instanceof EngineError && error.code === 'bad_input'
    throw isOrder ? explainOrder(error, path) : explained
  }
}

async function proved(
  path: string,
  indexPath: string | undefined,
  { executor, progress, signal, onProgress }: ProofRun,
): Promise<BamProof> {
  const alignment = await openAlignment(localAlignment({ path, indexPath }), executor)
  try {
    mustBeBam(alignment)
    if (!alignment.complete) {
      throw new EngineError(
        'corrupt_source',
        'it has no end marker, as if it were still being written',
      )
    }
    if (indexPath) await readIndex(alignment, executor)
    const resume = await progress.rows()
    let unpositioned = resume.reduce((sum, extent) => sum + extent.unpositioned, 0)
    const directory = await buildDirectory(alignment.blob, alignment.header, executor, {
      signal,
      resume,
      // One more than there are threads, so that none waits for what it does next.
      ahead: executor.parallelism + 1,
      onExtent: (extent) => {
        unpositioned += extent.unpositioned
        return progress.add(extent)
      },
      onProgress: (bytes) => onProgress?.(bytes),
    })
    const { warnings, header } = alignment
    return { directory, indexPath, warnings: [...warnings, ...peculiarities(header, unpositioned)] }
  } finally {
    await alignment.blob.close()
  }
}

/** What is unusual of a file that can be sliced. */
function peculiarities({ sortOrder }: AlignmentHeader, unpositioned: number): string[] {
  const stated =
    sortOrder === undefined ? 'no sort order' : `sort order ${JSON.stringify(sortOrder)}`
  return [
    ...(sortOrder === 'coordinate'
      ? []
      : [`its header states ${stated}; its records are in coordinate order all the same`]),
    ...(unpositioned === 0
      ? []
      : [`${unpositioned} of its records are flagged as mapped and have no position`]),
  ]
}
