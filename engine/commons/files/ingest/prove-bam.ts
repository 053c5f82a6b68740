import { basename } from 'node:path'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { openAlignment, readIndex } from '../../slicing/alignment.ts'
import { buildDirectory } from '../../slicing/build-directory.ts'
import type { StoredDirectory } from '../../slicing/directory.ts'
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
 * Proves every block and the sort order of a BAM file, and that its index belongs to it.
 * @throws EngineError bad_input when it is not sorted, corrupt_source, no_index
 */
export async function proveBam(
  path: string,
  indexPath: string | undefined,
  { executor, progress, signal, onProgress }: ProofRun,
): Promise<BamProof> {
  const alignment = await openAlignment(localAlignment({ path, indexPath }), executor)
  try {
    if (!alignment.complete) {
      throw new EngineError(
        'corrupt_source',
        `"${basename(path)}" has no end marker: it is cut off, or still being written`,
      )
    }
    if (indexPath) await readIndex(alignment, executor)
    const directory = await buildDirectory(alignment.blob, alignment.header, executor, {
      signal,
      resume: await progress.rows(),
      onExtent: (extent) => progress.add(extent),
      onProgress: (bytes) => onProgress?.(bytes),
    })
    return { directory, indexPath, warnings: alignment.warnings }
  } finally {
    await alignment.blob.close()
  }
}
