import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { OpenBlob } from '../../../shared/blobs/blob.ts'
import { identityOf } from '../../../shared/blobs/identity.ts'
import type { GenePaths } from '../../analysis/single-cell/gene-file.ts'
import { HDF5_SIGNATURE } from '../../analysis/single-cell/open-files.ts'
import { isUnreadable } from '../../analysis/single-cell/unreadable.ts'
import { writeGenes } from '../../analysis/single-cell/write-genes.ts'
import type { ReceiveRun, Workplace } from './receive-run.ts'

/** What has become of a file's numbers. */
export interface SortedGenes {
  /** Where they are, in the order of genes. */
  readonly genes: GenePaths | undefined
  /** Why they are not, though it is a matrix. */
  readonly unsorted: string | undefined
}

/** Whether the bytes say that they are HDF5. */
export async function isHdf5(source: OpenBlob): Promise<boolean> {
  const start = Buffer.alloc(HDF5_SIGNATURE.length)
  await source.read(start, 0)
  return start.equals(HDF5_SIGNATURE)
}

/**
 * Puts the numbers of an HDF5 file into the order of genes, if it has a matrix of a known layout.
 * What is wrong with the file itself keeps it from being sorted, and not from being stored.
 */
export async function sortGenes(
  given: string,
  workplace: Workplace,
  { executor, signal }: Pick<ReceiveRun, 'executor' | 'signal'>,
): Promise<SortedGenes> {
  // The library has a working folder of its own.
  const path = resolve(given)
  const genes = {
    numbers: workplace.partPath('genes.numbers'),
    directory: workplace.partPath('genes.directory'),
  }
  const temporaryPath = workplace.partPath('genes.sorting')
  try {
    const state = { path, identity: identityOf(await stat(path, { bigint: true })) }
    await writeGenes(state, genes, { executor, signal, priority: 0, temporaryPath })
    return { genes, unsorted: undefined }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    // Other files are HDF5, too.
    const isOther = error.code === 'bad_input'
    return { genes: undefined, unsorted: isOther ? undefined : error.message }
  }
}
