export type { Principal, TokenSummary } from './access/tokens.ts'
export { TokenStore } from './access/tokens.ts'
export type { Finding } from './check.ts'
export {
  Engine,
  type EngineEvent,
  type EngineOptions,
  openEngine,
  type Slice,
  type SliceRequest,
} from './engine.ts'
export { EngineError, type ErrorCode } from './errors.ts'
export { type Executor, inlineExecutor, type Job, type RunOptions } from './executor.ts'
export { findIndex, type ImportBam, type ImportedBam } from './slicing/import-bam.ts'
export { sliceFile } from './slicing/slice-file.ts'
export type { SliceBody } from './slicing/slicer.ts'
export type { StoredFile } from './store/files.ts'
export { readGenes } from './store/gene-table.ts'
export { GeneModel, type GeneRow } from './store/genes.ts'
export { openState, statePath } from './store/state.ts'
