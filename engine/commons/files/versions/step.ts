/** Facts about one version of a file. */
export interface FileVersion {
  readonly id: string
  readonly filename?: string | undefined
  readonly md5?: string | undefined
  /** Size in bytes. */
  readonly size?: number | undefined
}

/** A step in the history of a file: one file replaces another. Stored as a line of a release's history file. */
export interface VersionStep extends FileVersion {
  readonly next?: FileVersion | undefined
  /** Release of the replacement, such as `32.0`. */
  readonly release?: string | undefined
  /** Version number, counted from 1. */
  readonly version?: string | undefined
  readonly state?: string | undefined
  /** First and last release that contain the replaced file, such as `12.0 - 31.0`. */
  readonly data_release?: string | undefined
}
