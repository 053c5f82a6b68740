import type { Executor } from '../../../shared/executor.ts'
import type { PackedBlocks } from './packed-blocks.ts'

/** Context for making a copy of a file's values sorted by gene. */
export interface GenesRun {
  readonly signal?: AbortSignal | undefined
  /** Priority of the jobs. It is lower than that of requests. */
  readonly priority: number
  readonly executor: Executor
  /** Path of a temporary file for sorting, which is removed at the end. */
  readonly temporaryPath: string
}

/** Encoded blocks, with their positions among all blocks of the file. */
export interface PackedPart extends PackedBlocks {
  readonly blocks: { readonly first: number; readonly step: number }
}
