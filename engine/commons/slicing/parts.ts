import { stat } from 'node:fs/promises'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { openFile } from '../../shared/blobs/folder-store.ts'
import { type FileIdentity, identityOf } from '../../shared/blobs/identity.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'

/** Where the parts of an alignment file of this machine are. */
export interface AlignmentPaths {
  readonly path: string
  readonly indexPath?: string | undefined
  /** Where its block directory is or would be. */
  readonly directoryPath?: string | undefined
}

/** How to get at the parts of an alignment file, wherever they are. */
export interface AlignmentParts {
  /** Distinguishes the file from all others. */
  readonly key: string
  /** The file of the catalogue that these are of, if any. */
  readonly file?:
    | Pick<StoredFile, 'id' | 'md5' | 'storage' | 'linkedModified' | 'dataFormat'>
    | undefined
  readonly open: () => Promise<OpenBlob>
  /**
   * Identity of the file now.
   * @throws EngineError unavailable when there is none
   */
  readonly identity: () => Promise<FileIdentity>
  /** For so long the file may be taken for what it was. */
  readonly trustMilliseconds: number
  /** Its index, on this machine; a function brings it here, if there is one. */
  readonly indexPath?: string | (() => Promise<string | undefined>) | undefined
  /** Where its block directory is or would be, on this machine. */
  readonly directoryPath?: string | undefined
  /** Brings a block directory from elsewhere to its path; false when there is none. */
  readonly fetchDirectory?: (() => Promise<boolean>) | undefined
}

/** Parts that are files of this machine. Others may change them at any time. */
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

/** Identity of the file under a path now. */
export async function identityNow(path: string): Promise<FileIdentity> {
  try {
    return identityOf(await stat(path, { bigint: true }))
  } catch (cause) {
    throw new EngineError('unavailable', 'alignment file cannot be opened', { cause })
  }
}
