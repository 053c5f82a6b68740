// Public interface of engine/shared. All other parts of the engine may use it.

export type { Grant } from './audit/grants.ts'
export type { RecordedIds } from './audit/record-line.ts'
export type { AuditOptions, Shared, SharedOptions } from './shared.ts'

export type { WasmMemory, WasmModule } from './web-assembly.ts'

// Errors, events and issues.

export { EngineError, type ErrorCode, type ErrorDetails } from './errors.ts'
export type { EngineEvent, Report } from './events.ts'
export type { Issue } from './issue.ts'

// Execution of jobs.

export { LoopTurns } from './concurrency/loop-turns.ts'
export {
  type Cached,
  type Executor,
  inlineExecutor,
  type Job,
  type Kernels,
  type RunOptions,
  type Scratch,
} from './executor.ts'

// Access: roles, tokens and keys.

export type { Authenticator, CredentialStore } from './access/authenticator.ts'
export type {
  AccessMap,
  ClaimValue,
  MappedRights,
  Mapping,
  Revoked,
} from './access/claims/access-map.ts'
export type { ClaimRights, ClaimRightsReader, Identity } from './access/claims/claim-rights.ts'
export { ROLES as PROJECT_ROLES } from './access/grants.ts'
export type { FetchDocument } from './access/jwt/issuer-keys.ts'
export type { JwtRules } from './access/jwt/jwt-verifier.ts'
export type { CreateKey, KeyStore, KeySummary } from './access/keys.ts'
export type { Person } from './access/people.ts'
export type {
  CreatePersonalToken,
  PersonalToken,
  PersonalTokenStore,
} from './access/personal-tokens.ts'
export type { Credential, CredentialKind, Principal } from './access/principal.ts'
export { type Caller, hasRole, ROLES, type Role } from './access/roles.ts'
export type { SessionStore, SessionTimes } from './access/sessions.ts'
export type { TokenScope } from './access/token-scope.ts'
export type { CreateToken, TokenStore, TokenSummary } from './access/tokens.ts'

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

// Storage of state and bytes, and its availability.

export type { Availability } from './availability.ts'
export type { ObjectStoreOptions } from './blobs/object-client.ts'
export type { ObjectTimes } from './blobs/object-times.ts'
export { statePath } from './catalogue/state.ts'
export { takeFolder } from './database/folder-lock.ts'
export type { DatabaseTimes } from './database/postgresql/server-watch.ts'
export type { StartThread, Thread, ThreadTask } from './database/sqlite/protocol.ts'
export type { Dependencies, DependencyTimes, DiskFacts } from './dependencies.ts'
export type { DiskState } from './disk-space.ts'

// Background tasks.

export { WORK_KINDS, type WorkKind } from './work/kinds.ts'
export type { KindLoad } from './work/task-store.ts'
export type { WorkTimes } from './work/worker.ts'

// Formats of requests and tables.

export type { NumberColumn } from './arrays/paged-column.ts'
export type { IndexKind } from './formats/bam-index-writer.ts'
export type { Inflater } from './formats/inflater.ts'
export type { TableForm } from './formats/table-cells.ts'
export type { CellExample } from './input/cell-example.ts'
export type { ColumnReport } from './input/column-tally.ts'
export type { NameCount } from './input/name-counts.ts'
export type { HistoryPageRequest, PageRequest } from './input/read-page.ts'
export type { Unknowns } from './input/unknowns.ts'
export { Warnings } from './input/warnings.ts'
export type { AtRevision, HeldRevisions } from './revision.ts'

// Streams of bytes.

export {
  type ByteStream,
  type Generated,
  type GeneratedEnd,
  generatedStream,
} from './streams/byte-stream.ts'
