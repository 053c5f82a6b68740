import type { ColumnReport } from '../../../shared/input/column-tally.ts'
import type { Issue } from '../../../shared/issue.ts'
import type { Releases } from '../../release/releases.ts'
import type { ImportContext } from './import-bam.ts'
import type { GivenRights } from './rights.ts'

export interface ImportFiles extends GivenRights {
  /** Path of a download manifest, plain or gzip. */
  readonly manifest: string
  /** Folder with the files, each under its name, or in a subfolder named by its id. */
  readonly from: string
  /** Whether to link to the files instead of copying them. */
  readonly link?: boolean
  /** Whether to verify all files without storing them. */
  readonly dryRun?: boolean | undefined
  /** Refuses a manifest with a row that cannot be used, instead of skipping the row. */
  readonly strict?: boolean | undefined
}

/** Context of an import of files. If the total is unknown, `onProgress` receives 0. */
export interface ImportFilesContext extends ImportContext {
  readonly releases: Releases
  /** Called for each file that is not stored, with its id or the manifest's line, and the reason. */
  readonly onIssue?: ((issue: Issue) => void | Promise<void>) | undefined
  /** Called with remarks on a stored file. */
  readonly onNote?: ((note: Issue) => void) | undefined
  /** Called with the counts of the manifest's cells, by column, after its last row. */
  readonly onColumns?: ((columns: readonly ColumnReport[]) => void) | undefined
}

export interface ImportedFiles {
  readonly stored: number
  /** Number of files that had been stored before. */
  readonly known: number
  readonly storedBytes: number
  readonly issues: number
  /** Number of stored or known files that have no record in the current release. */
  readonly withoutRecord: number
  /** Number of stored or known files that only administrators may read. */
  readonly forAdministrators: number
}
