import type { FileCatalogue, StoredFile } from '../store/files.ts'
import type { AlignmentPaths } from './alignment.ts'

/** Name of the block directory in a stored file's folder. */
export const DIRECTORY_NAME = 'blocks.directory'

/** Where the parts of a stored alignment file are. */
export function pathsOf(files: FileCatalogue, file: StoredFile): AlignmentPaths {
  return {
    path: files.path(file),
    directoryPath: files.path(file, DIRECTORY_NAME),
    indexPath: file.indexName === null ? undefined : files.path(file, file.indexName),
  }
}
