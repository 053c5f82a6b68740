import { ADDRESS_NAME } from '../../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { GENE_DIRECTORY, GENE_NUMBERS } from '../../analysis/single-cell/gene-file.ts'
import { DIRECTORY_NAME } from '../../slicing/stored.ts'

/**
 * Returns whether all parts of a stored file are in place, without reading them. A link counts only if a link is
 * requested and its target has not changed.
 */
export async function isStored(
  file: StoredFile,
  blobs: BlobStores,
  { link }: { readonly link: boolean },
): Promise<boolean> {
  const { id, fileName, size, linkedModified } = file
  if (linkedModified !== null && !link) return false
  const store = blobs.of(file.storage)
  const identity = await store.identity({ id, name: fileName })
  if (identity?.size !== size) return false
  if (linkedModified !== null && linkedModified !== identity.modified) return false
  for (const name of extrasOf(file)) {
    if (!(await store.identity({ id, name }))) return false
  }
  return true
}

/** Returns the names of all files that may belong to a stored file in its local folder. */
export function localNames(file: StoredFile): ReadonlySet<string> {
  const extras = file.dataFormat === null ? GENE_NAMES : extrasOf(file)
  const address = file.linkedModified === null ? [] : [ADDRESS_NAME]
  return new Set(file.storage === 'folder' ? [file.fileName, ...address, ...extras] : extras)
}

/** Names of the files derived from HDF5 files. */
export const GENE_NAMES: readonly string[] = [GENE_NUMBERS, GENE_DIRECTORY]

/** Returns the names of all files that belong to a stored file in object storage. */
export function objectNames(file: StoredFile): ReadonlySet<string> {
  return new Set(file.storage === 's3' ? [file.fileName, ...extrasOf(file)] : [])
}

function extrasOf({ dataFormat, indexName }: StoredFile): readonly string[] {
  if (dataFormat === null) return []
  const directory = dataFormat === 'CRAM' ? [] : [DIRECTORY_NAME]
  return indexName === null ? directory : [...directory, indexName]
}
