import type { DiskSpace } from '../../../shared/disk-space.ts'
import type { Executor } from '../../../shared/executor.ts'

/** Where the copy is made, and whatever else has to be complete before it is put in its place. */
export interface Workplace {
  partPath(name?: string): string
  /** Nothing of it is needed any more. */
  finish(): Promise<void>
  /** Leaves what is there for the next try. */
  close(): Promise<void>
}

export interface ReceiveRun {
  readonly executor: Executor
  readonly space: Pick<DiskSpace, 'require'>
  /** Folder for what is under way. */
  readonly incoming: string
  /** For a file that is too small to be resumed; others get a place that is found again. */
  readonly smallPlace?: Workplace | undefined
  readonly buffer: Buffer
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes since the last call. */
  readonly onCopied?: ((bytes: number) => void) | undefined
  /** Called with the bytes of a BAM file that are proved. */
  readonly onVerified?: ((bytes: number) => void) | undefined
}
