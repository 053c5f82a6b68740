// What only this package's own server and command line use; no part of the library.

export { backUp } from './backup.ts'
export { openDistribution } from './open-distribution.ts'
export { emptyState, migrateState, pendingState, sharedState } from './shared-state.ts'
export { copyState, type StateCopy } from './state-copy.ts'
export { removeStatePart } from './state-part.ts'
