import type { DiskSpace } from '../../../shared/disk-space.ts'
import type { Executor } from '../../../shared/executor.ts'

/** Folder or files for work in progress, such as the copy, until the work is moved into place. */
export interface Workplace {
  partPath(name?: string): string
  /** Removes all files of the workplace. */
  finish(): Promise<void>
  /** Releases the workplace and keeps its files for the next attempt. */
  close(): Promise<void>
}

export interface ReceiveRun {
  readonly executor: Executor
  readonly space: Pick<DiskSpace, 'require'>
  /** Folder for files in progress. */
  readonly incoming: string
  /** Workplace for a file too small to resume. A larger file gets one that the next attempt finds again. */
  readonly smallPlace?: Workplace | undefined
  readonly buffer: Buffer
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes since the last call. */
  readonly onCopied?: ((bytes: number) => void) | undefined
  /** Called with the number of a BAM file's bytes that have been verified. */
  readonly onVerified?: ((bytes: number) => void) | undefined
}
