import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ProvedFormat, SliceableFormat } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { proveContainers } from '../../containers/prove-containers.ts'
import { type Alignment, mustBe, openAlignment } from '../../slicing/alignment.ts'
import { buildDirectory } from '../../slicing/build-directory.ts'
import type { Directory } from '../../slicing/directory.ts'
import { explainError, explainOrder, HEADER, NO_MARKER } from '../../slicing/explain-file.ts'
import { explainVariants } from '../../slicing/explain-variants.ts'
import { makeFileIndex } from '../../slicing/file-index.ts'
import { localAlignment } from '../../slicing/parts.ts'
import type { ScanOutput } from '../../slicing/scan.ts'
import type { ImportProgress } from './import-progress.ts'

/** Kind of file that an import accepts: BAM alignments, files of variants or features, or CRAM. */
export type ImportedKind = 'BAM' | 'variants' | 'CRAM'

const VARIANTS: readonly SliceableFormat[] = ['VCF', 'BCF', 'BED', 'GFF', 'TSV']

/** Result of verifying a file that can be sliced, or cut at containers. */
export interface FileProof {
  readonly format: ProvedFormat
  readonly records: number
  /** Block directory of a sliceable file. It may be in the scratch file of the progress. */
  readonly directory: Directory | undefined
  /** Path of the index that was built. */
  readonly indexPath: string | undefined
  readonly warnings: readonly string[]
}

interface ProvedFile {
  readonly path: string
  readonly indexPath?: string | undefined
  readonly accepts: ImportedKind
}

interface ProofRun {
  readonly executor: Executor
  /** Progress on disk, from which an interrupted pass resumes. */
  readonly progress: ImportProgress
  readonly signal: AbortSignal
  /** Called with the number of the file's bytes that have been processed. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/**
 * Verifies every block and the sort order of a file, and builds its index. A given index is not used, because it
 * may belong to an earlier version of the file. The sort order that a BAM header states is ignored. For CRAM,
 * the containers are verified.
 * @throws EngineError bad_input if it is not sorted or has another format; corrupt_source; no_index. All of
 *   them name the file.
 */
export async function proveFile(file: ProvedFile, run: ProofRun): Promise<FileProof> {
  if (file.accepts === 'CRAM') {
    const madePath = run.progress.partPath('made.crai')
    const { fault, ...proof } = await proveContainers({ ...file, madePath }, run)
    return { ...proof, warnings: droppedIndexes(file.indexPath, fault) }
  }
  try {
    return await proved(file, run)
  } catch (error) {
    if (file.accepts === 'variants') throw await explainVariants(error, file)
    const explained = await explainError(error, file.path)
    // In a BAM file, the only other cause of bad_input is its sort order.
    const isOrder =
      explained === error && error instanceof EngineError && error.code === 'bad_input'
    throw isOrder ? explainOrder(error, file.path) : explained
  }
}

async function proved(
  { path, indexPath, accepts }: ProvedFile,
  { executor, progress, signal, onProgress }: ProofRun,
): Promise<FileProof> {
  const alignment = await openAlignment(localAlignment({ path, indexPath }), executor)
  try {
    mustBe(alignment, accepts === 'BAM' ? ['BAM'] : VARIANTS)
    mustBeReadable(alignment)
    if (!alignment.complete) {
      throw new EngineError('corrupt_source', 'it has no end marker', { at: NO_MARKER })
    }
    const odd = { unpositioned: 0, unreferenced: 0 }
    const count = ({ unpositioned, unreferenced }: ScanOutput) => {
      odd.unpositioned += unpositioned
      odd.unreferenced += unreferenced
    }
    async function* resumed() {
      for await (const extent of progress.rows()) {
        count(extent)
        yield extent
      }
    }
    const directory = await buildDirectory(alignment.blob, alignment.header, executor, {
      signal,
      resume: resumed(),
      scratch: progress.scratch,
      // The number is one more than there are threads, so that no thread waits for its next extent.
      ahead: executor.parallelism + 1,
      onExtent: (extent) => {
        count(extent)
        return progress.add(extent)
      },
      onProgress: (bytes) => onProgress?.(bytes),
    })
    const { kind, bytes, fault } = await makeFileIndex(alignment, directory, executor)
    const madePath = progress.partPath(`made.${kind}`)
    await writeFile(madePath, bytes)
    const { warnings, header } = alignment
    return {
      format: header.fileFormat,
      records: directory.records,
      directory,
      indexPath: madePath,
      warnings: [
        ...warnings,
        ...peculiarities(alignment, odd),
        ...droppedIndexes(indexPath, fault),
      ],
    }
  } finally {
    await alignment.blob.close()
  }
}

/**
 * Rejects a header that htslib does not read: with an invalid line, without column names, or with the same
 * reference twice.
 * @throws EngineError corrupt_source
 */
function mustBeReadable({ header: { names, flaw }, numberOf }: Alignment): void {
  if (flaw !== undefined) throw new EngineError('corrupt_source', flaw, { at: HEADER })
  if (numberOf.size === names.length) return
  const twice = names.find((name, number) => name !== '' && numberOf.get(name) !== number)
  if (twice === undefined) return
  const message = `reference ${JSON.stringify(twice)} is in its header twice`
  throw new EngineError('corrupt_source', message, { at: HEADER })
}

/** Returns a warning if a given index was replaced. */
export function droppedIndexes(path: string | undefined, fault: string | undefined): string[] {
  if (fault === undefined) return []
  const name = JSON.stringify(basename(path ?? ''))
  return [
    `index ${name} is not that of the file: ${fault}; one that was made in its place is served`,
  ]
}

/** Returns remarks on unusual properties of a sliceable file. */
function peculiarities(
  { header: { sortOrder } }: Alignment,
  { unpositioned, unreferenced }: Pick<ScanOutput, 'unpositioned' | 'unreferenced'>,
): string[] {
  const stated =
    sortOrder === undefined ? 'no sort order' : `sort order ${JSON.stringify(sortOrder)}`
  return [
    ...(sortOrder === 'coordinate'
      ? []
      : [`its header states ${stated}; its records are in coordinate order all the same`]),
    ...(unpositioned === 0
      ? []
      : [
          `${unpositioned} of its records are flagged as mapped and have no position; no slice of a region has them`,
        ]),
    ...(unreferenced === 0
      ? []
      : [
          `${unreferenced} of its records have a position and no reference; no slice of a region has them`,
        ]),
  ]
}
