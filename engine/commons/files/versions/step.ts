/** What is known of one version of a file. */
export interface FileVersion {
  readonly id: string
  readonly filename?: string | undefined
  readonly md5?: string | undefined
  /** Bytes. */
  readonly size?: number | undefined
}

/** One file that was replaced by another: a line of the history file of a release. */
export interface VersionStep extends FileVersion {
  readonly next?: FileVersion | undefined
  /** Release in which the step was taken: `32.0`. */
  readonly release?: string | undefined
  /** Counted from 1. */
  readonly version?: string | undefined
  readonly state?: string | undefined
  /** First and last release that the replaced file was in: `12.0 - 31.0`. */
  readonly data_release?: string | undefined
}
