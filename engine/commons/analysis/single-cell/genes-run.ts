import type { Executor } from '../../../shared/executor.ts'
import type { PackedBlocks } from './packed-blocks.ts'

/** Context for writing numbers by gene. */
export interface GenesRun {
  readonly signal?: AbortSignal | undefined
  /** Priority of the jobs, lower than that of requests. */
  readonly priority: number
  readonly executor: Executor
  /** Path of a temporary file for sorting, which is removed afterwards. */
  readonly temporaryPath: string
}

/** Packed blocks and their positions among all blocks. */
export interface PackedPart extends PackedBlocks {
  readonly blocks: { readonly first: number; readonly step: number }
}
