// Exports for this package's own server and command line. Not part of the library.

export { backUp } from './backup.ts'
export { otherNodes, verifyAudit, withAuditRecord } from './open-audit.ts'
export { openDistribution } from './open-distribution.ts'
export { emptyState, migrateState, pendingState, sharedState } from './shared-state.ts'
export { copyState, type StateCopy } from './state-copy.ts'
export { removeStatePart } from './state-part.ts'
