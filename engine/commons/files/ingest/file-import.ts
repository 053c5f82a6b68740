import type { Issue } from '../../../shared/issue.ts'
import type { Releases } from '../../release/releases.ts'
import type { ImportContext } from './import-bam.ts'
import type { GivenRights } from './rights.ts'

export interface ImportFiles extends GivenRights {
  /** Path of a download manifest, plain or gzip. */
  readonly manifest: string
  /** Folder with the files: each under its name, or in a folder that is called by its id. */
  readonly from: string
  /** Refer to the files where they are instead of copying them. */
  readonly link?: boolean
}

/** The total of `onProgress` is 0 where it is not known. */
export interface ImportFilesContext extends ImportContext {
  readonly releases: Releases
  /** Called for each file that is not stored, with its id or the line of the manifest, and why. */
  readonly onIssue?: ((issue: Issue) => void | Promise<void>) | undefined
  /** Called with what else is worth knowing of a file that is stored. */
  readonly onNote?: ((note: Issue) => void) | undefined
}

export interface ImportedFiles {
  readonly stored: number
  /** Files that were there before. */
  readonly known: number
  readonly storedBytes: number
  readonly issues: number
  /** Stored or known files that no record of the current release speaks of. */
  readonly withoutRecord: number
  /** Stored or known files that nobody but an administrator may read. */
  readonly forAdministrators: number
}
