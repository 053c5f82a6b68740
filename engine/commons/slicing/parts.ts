import { stat } from 'node:fs/promises'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { openFile } from '../../shared/blobs/folder-store.ts'
import { type FileIdentity, identityOf } from '../../shared/blobs/identity.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'

/** Paths of the parts of a local alignment file. */
export interface AlignmentPaths {
  readonly path: string
  readonly indexPath?: string | undefined
  /** Path of its block directory, which need not exist. */
  readonly directoryPath?: string | undefined
}

/** Access to the parts of an alignment file: the file, its index and its block directory. */
export interface AlignmentParts {
  /** Key that is unique to the file. */
  readonly key: string
  /** The file's entry in the catalogue, if it is a stored file. */
  readonly file?:
    | Pick<StoredFile, 'id' | 'md5' | 'storage' | 'linkedModified' | 'dataFormat'>
    | undefined
  readonly open: () => Promise<OpenBlob>
  /**
   * Returns the file's current identity.
   * @throws EngineError unavailable if there is no file
   */
  readonly identity: () => Promise<FileIdentity>
  /** Milliseconds for which the file may be assumed unchanged. */
  readonly trustMilliseconds: number
  /** Local path of the index, or a function that fetches the index and returns its path. */
  readonly indexPath?: string | (() => Promise<string | undefined>) | undefined
  /** Local path of its block directory, which need not exist. */
  readonly directoryPath?: string | undefined
  /** Size in bytes from which the directory is read by pages. The default is about 1,500,000 blocks. */
  readonly pagedBytes?: number | undefined
  /** Fetches the block directory and writes it to its path. Returns false if there is none. */
  readonly fetchDirectory?: (() => Promise<boolean>) | undefined
}

/** Returns the parts of a local file, which other programs may change at any time. */
export function localAlignment({ path, indexPath, directoryPath }: AlignmentPaths): AlignmentParts {
  return {
    key: path,
    open: () => openFile(path),
    identity: () => identityNow(path),
    trustMilliseconds: 0,
    indexPath,
    directoryPath,
  }
}

/** Returns the current identity of the file at a path. */
async function identityNow(path: string): Promise<FileIdentity> {
  try {
    return identityOf(await stat(path, { bigint: true }))
  } catch (cause) {
    throw new EngineError('unavailable', 'alignment file cannot be opened', { cause })
  }
}
