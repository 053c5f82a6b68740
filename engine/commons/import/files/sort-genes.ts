import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { OpenBlob } from '../../../shared/blobs/blob.ts'
import { identityOf } from '../../../shared/blobs/identity.ts'
import type { GenePaths } from '../../analysis/single-cell/gene-file.ts'
import { HDF5_SIGNATURE } from '../../analysis/single-cell/open-files.ts'
import { isUnreadable } from '../../analysis/single-cell/unreadable.ts'
import { writeGenes } from '../../analysis/single-cell/write-genes.ts'
import type { ReceiveRun, Workplace } from './receive-run.ts'

/** Result of sorting a file's values by gene. */
export interface SortedGenes {
  /** Paths of the sorted values and of their directory. */
  readonly genes: GenePaths | undefined
  /** Why the file could not be sorted. HDF5 files need not have a matrix. */
  readonly unsorted: string | undefined
  /** Names of the file's other matrices, which are not read. */
  readonly unread: readonly string[]
}

/** Returns whether the bytes start with the HDF5 signature. */
export async function isHdf5(source: OpenBlob): Promise<boolean> {
  const start = Buffer.alloc(HDF5_SIGNATURE.length)
  await source.read(start, 0)
  return start.equals(HDF5_SIGNATURE)
}

/**
 * Sorts the values of an HDF5 file by gene, if the file has a matrix in a known layout. A file that cannot be
 * sorted is still stored.
 */
export async function sortGenes(
  given: string,
  workplace: Workplace,
  { executor, signal }: Pick<ReceiveRun, 'executor' | 'signal'>,
): Promise<SortedGenes> {
  // The library resolves paths against a working folder of its own, so the path must be absolute.
  const path = resolve(given)
  const genes = {
    numbers: workplace.partPath('genes.numbers'),
    directory: workplace.partPath('genes.directory'),
  }
  const temporaryPath = workplace.partPath('genes.sorting')
  try {
    const state = { path, identity: identityOf(await stat(path, { bigint: true })) }
    const unread = await writeGenes(state, genes, { executor, signal, priority: 0, temporaryPath })
    return { genes, unsorted: undefined, unread }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return { genes: undefined, unsorted: error.message, unread: [] }
  }
}
