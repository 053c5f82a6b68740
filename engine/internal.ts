// What only this package's own server and command line use; no part of the library.

export { type Backup, backUp } from './backup.ts'
export {
  type DistributionPlace,
  type OpenDistribution,
  openDistribution,
} from './open-distribution.ts'
export {
  emptyState,
  migrateState,
  type PendingStep,
  pendingState,
  sharedState,
} from './shared-state.ts'
export { type CopiedState, copyState, type StateCopy } from './state-copy.ts'
export { removeStatePart } from './state-part.ts'
