// What everybody may use: errors, the executor, who may do what, where bytes and state lie.

export type { Shared, SharedOptions } from './shared.ts'

// Errors, events, issues.

export { EngineError, type ErrorCode, type ErrorDetails } from './errors.ts'
export type { EngineEvent, Report } from './events.ts'
export type { Issue } from './issue.ts'

// Where work runs.

export { LoopTurns } from './concurrency/loop-turns.ts'
export {
  type Cached,
  type Executor,
  inlineExecutor,
  type Job,
  type RunOptions,
  type Scratch,
} from './executor.ts'

// Who may do what.

export { ROLES as PROJECT_ROLES } from './access/grants.ts'
export type { CreateKey, KeyStore, KeySummary } from './access/keys.ts'
export { type Caller, hasRole, ROLES, type Role } from './access/roles.ts'
export type { CreateToken, Principal, TokenStore, TokenSummary } from './access/tokens.ts'

// Files, genes and notifications.

export type { AddressedBytes, Addresses, RangeReader, RemoteRange } from './blobs/address.ts'
export type { StorageKind } from './blobs/blob.ts'
export type { BlobKey } from './blobs/blob-key.ts'
export type { FileIdentity } from './blobs/identity.ts'
export type { MakeBytes } from './blobs/made-store.ts'
export type { ProvedFormat, SliceableFormat, StoredFile } from './catalogue/files.ts'
export { type ReadGenesOptions, readGenes } from './catalogue/gene-table.ts'
export type { GeneModel, GeneRow, GeneSpan } from './catalogue/genes.ts'
export {
  type AddNotification,
  COMPONENTS,
  type Component,
  LEVELS,
  type Level,
  type Notification,
  type NotificationStore,
} from './catalogue/notifications.ts'

// Where state and bytes lie, and in what state that is.

export type { Availability } from './availability.ts'
export type { ObjectStoreOptions } from './blobs/object-client.ts'
export type { ObjectTimes } from './blobs/object-times.ts'
export { statePath } from './catalogue/state.ts'
export { takeFolder } from './database/folder-lock.ts'
export type { DatabaseTimes } from './database/postgresql/server-watch.ts'
export type { StartThread, Thread, ThreadTask } from './database/sqlite/protocol.ts'
export type { Dependencies, DependencyTimes, DiskFacts } from './dependencies.ts'
export type { DiskState } from './disk-space.ts'

// What is done in the background.

export { WORK_KINDS, type WorkKind } from './work/kinds.ts'
export type { KindLoad } from './work/task-store.ts'
export type { WorkTimes } from './work/worker.ts'

// Forms of requests and of tables.

export type { IndexKind } from './formats/bam-index-writer.ts'
export type { TableForm } from './formats/table-cells.ts'
export type { HistoryPageRequest, PageRequest } from './input/read-page.ts'
export { Warnings } from './input/warnings.ts'
export type { AtRevision, HeldRevisions } from './revision.ts'

// Bytes that are asked for as they are read.

export {
  type ByteStream,
  type Generated,
  type GeneratedEnd,
  generatedStream,
} from './streams/byte-stream.ts'
