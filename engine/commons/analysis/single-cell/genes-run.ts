import type { Executor } from '../../../shared/executor.ts'
import type { PackedBlocks } from './packed-blocks.ts'

/** How jobs are run, and where what is under way is kept. */
export interface GenesRun {
  readonly signal?: AbortSignal | undefined
  /** Behind what a request waits for. */
  readonly priority: number
  readonly executor: Executor
  /** A file of this name is made for what has to be sorted, and removed. */
  readonly temporaryPath: string
}

/** Packed blocks, and which of all these are. */
export interface PackedPart extends PackedBlocks {
  readonly blocks: { readonly first: number; readonly step: number }
}
