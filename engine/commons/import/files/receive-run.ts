import type { DiskSpace } from '../../../shared/disk-space.ts'
import type { Executor } from '../../../shared/executor.ts'

/** Place for the copy and other files that must be complete before they are put in place. */
export interface Workplace {
  partPath(name?: string): string
  /** Removes everything, which is no longer needed. */
  finish(): Promise<void>
  /** Leaves everything for the next attempt. */
  close(): Promise<void>
}

export interface ReceiveRun {
  readonly executor: Executor
  readonly space: Pick<DiskSpace, 'require'>
  /** Folder for files in progress. */
  readonly incoming: string
  /** Place for a file too small to resume. Larger ones get a place that is found again. */
  readonly smallPlace?: Workplace | undefined
  readonly buffer: Buffer
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes since the last call. */
  readonly onCopied?: ((bytes: number) => void) | undefined
  /** Called with the number of a BAM file's bytes that are verified. */
  readonly onVerified?: ((bytes: number) => void) | undefined
}
