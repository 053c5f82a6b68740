// What everybody may use: errors, the executor, who may do what, where bytes and state lie.

export { ROLES as PROJECT_ROLES } from './access/grants.ts'
export { KeyStore, type KeySummary } from './access/keys.ts'
export { type Caller, hasRole, ROLES, type Role } from './access/roles.ts'
export { type Principal, TokenStore, type TokenSummary } from './access/tokens.ts'
export type { Availability } from './availability.ts'
export type { ObjectStoreOptions } from './blobs/object-client.ts'
export type { StoredFile } from './catalogue/files.ts'
export { readGenes } from './catalogue/gene-table.ts'
export { GeneModel, type GeneRow } from './catalogue/genes.ts'
export {
  COMPONENTS,
  type Component,
  LEVELS,
  type Level,
  type Notification,
  NotificationStore,
} from './catalogue/notifications.ts'
export { openState, statePath } from './catalogue/state.ts'
export type { Database } from './database/database.ts'
export { takeFolder } from './database/folder-lock.ts'
export type { Dependencies } from './dependencies.ts'
export { descriptorShortage } from './descriptors.ts'
export { EngineError, type ErrorCode } from './errors.ts'
export type { EngineEvent } from './events.ts'
export { type Executor, inlineExecutor, type Job, type RunOptions } from './executor.ts'
export type { Finding } from './finding.ts'
export { checkJsonBounds, MAX_PARAMETER_VALUES } from './input/json-bounds.ts'
export { isObject } from './input/unknowns.ts'
export type { HeldRevisions } from './revision.ts'
export type { Shared } from './shared.ts'
