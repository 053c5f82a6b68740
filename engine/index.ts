export type {
  AvailabilityRequest,
  GeneSelectionRequest,
  ValuesRequest,
} from './commons/analysis/expression/expression.ts'
export { type ExpressionUnit, UNITS } from './commons/analysis/expression/unit-values.ts'
export type {
  GeneCountsRequest,
  ProjectCountsRequest,
  TopRequest,
} from './commons/analysis/mutation-counts/mutation-counts.ts'
export type {
  CellExpression,
  CellExpressionRequest,
} from './commons/analysis/single-cell/single-cell.ts'
export type { SurvivalRequest } from './commons/analysis/survival/survival.ts'
export { DATASET_NAMES, type Dataset, type DatasetName } from './commons/datasets/define.ts'
export type { Download, DownloadRequest } from './commons/files/download/downloads.ts'
export type { ByteSpan, DownloadBody } from './commons/files/download/transfer.ts'
export type { ImportedFiles, ImportFiles } from './commons/files/ingest/file-import.ts'
export { findIndex } from './commons/files/ingest/find-index.ts'
export type { ImportBam, ImportedBam } from './commons/files/ingest/import-bam.ts'
export { idsOfManifest } from './commons/files/versions/manifest-ids.ts'
export type { VersionForm } from './commons/files/versions/versions.ts'
export { COPY_NUMBER_TABLE } from './commons/import/copy-number-table.ts'
export {
  type ExpressionReport,
  formatExpressionReport,
} from './commons/import/expression/expression-report.ts'
export {
  type ExpressionStep,
  type ImportExpression,
  importExpression,
} from './commons/import/expression/import-expression.ts'
export { type ImportCommons, importCommons } from './commons/import/import-commons.ts'
export type { ImportStep } from './commons/import/next-release.ts'
export { formatReport, type ImportReport } from './commons/import/report.ts'
export { MUTATION_TABLE } from './commons/import/tables/mutation-table.ts'
export type { ReleaseFacts } from './commons/release/releases.ts'
export type { BodyFormat } from './commons/render/render.ts'
export type { ReleaseHealth } from './commons/search/current-release.ts'
export type { SearchAnswer } from './commons/search/leased-answer.ts'
export type { LookupRequest, RecordRequest, SearchRequest } from './commons/search/search.ts'
export { sliceFile } from './commons/slicing/slice-file.ts'
export type { SliceBody } from './commons/slicing/slicer.ts'
export {
  Engine,
  type EngineEvent,
  type EngineOptions,
  openEngine,
  type Slice,
  type SliceRequest,
} from './engine.ts'
export { CATEGORIES } from './registry/codes/categories.ts'
export { Hcpcs } from './registry/codes/hcpcs/hcpcs.ts'
export { Ndc, type NdcWish } from './registry/codes/ndc/ndc.ts'
export {
  CHANGES,
  type CodeChange,
  type CodeImport,
  type ImportedCodes,
  type RowFate,
  type TableReport,
} from './registry/codes/tables/import-run.ts'
export type { HematopoieticTable } from './registry/multiple-primaries/hematopoietic-data.ts'
export type {
  ImportedHematopoietic,
  ImportedTable,
} from './registry/multiple-primaries/import-hematopoietic.ts'
export { MultiplePrimaries } from './registry/multiple-primaries/service.ts'
export {
  type AnsweredLines,
  LineBatches,
  type LineSource,
} from './registry/ndjson-batch/line-batches.ts'
export {
  type SearchWish,
  STATUSES as PUBLISHING_STATUSES,
  VERSION_TYPES as PUBLISHING_VERSION_TYPES,
} from './registry/publishing/answers.ts'
export type { PublishingDefinition } from './registry/publishing/content/define-records.ts'
export type { Shape } from './registry/publishing/content/shape.ts'
export {
  AREAS,
  type Area,
  OUTPUT_TYPES as PUBLISHING_OUTPUTS,
  type RecordContent,
} from './registry/publishing/definition.ts'
export { DISEASE, type Disease } from './registry/publishing/disease/definition.ts'
export { ofYear as diseaseOfYear } from './registry/publishing/disease/of-year.ts'
export { PrimaryComparison } from './registry/publishing/disease/primary-comparison.ts'
export { withReportable } from './registry/publishing/disease/reportability.ts'
export { readYear } from './registry/publishing/disease/same-primary.ts'
export { primarySite, primarySites, SITE_CATEGORIES } from './registry/publishing/disease/sites.ts'
export {
  GLOSSARY,
  GLOSSARY_CATEGORIES,
  type GlossaryEntry,
} from './registry/publishing/glossary/definition.ts'
export { TermFinder } from './registry/publishing/glossary/term-finder.ts'
export { importRecords } from './registry/publishing/import-records.ts'
export type { Loaded } from './registry/publishing/loading.ts'
export type { EditWish, PublishingArea } from './registry/publishing/publishing-area.ts'
export { RX, type Rx } from './registry/publishing/rx/definition.ts'
export { regimensOf } from './registry/publishing/rx/regimens.ts'
export type {
  HistoryEntry,
  HistoryWish,
} from './registry/staging/store/history.ts'
export type {
  ImportedKind,
  ImportedStaging,
  ImportStaging,
  ImportStagingStep,
} from './registry/staging/store/import-staging.ts'
export { type GlossaryRequest, Staging } from './registry/staging/store/service.ts'
export { withoutNulls } from './registry/staging/store/without-nulls.ts'
export { ROLES as PROJECT_ROLES } from './shared/access/grants.ts'
export { KeyStore, type KeySummary } from './shared/access/keys.ts'
export { type Caller, hasRole, ROLES, type Role } from './shared/access/roles.ts'
export type { Principal, TokenSummary } from './shared/access/tokens.ts'
export { TokenStore } from './shared/access/tokens.ts'
export type { Availability } from './shared/availability.ts'
export type { ObjectStoreOptions } from './shared/blobs/object-client.ts'
export type { StoredFile } from './shared/catalogue/files.ts'
export { readGenes } from './shared/catalogue/gene-table.ts'
export { GeneModel, type GeneRow } from './shared/catalogue/genes.ts'
export {
  COMPONENTS,
  type Component,
  LEVELS,
  type Level,
  type Notification,
  NotificationStore,
} from './shared/catalogue/notifications.ts'
export { openState, statePath } from './shared/catalogue/state.ts'
export type { Database } from './shared/database/database.ts'
export { takeFolder } from './shared/database/folder-lock.ts'
export type { Dependencies } from './shared/dependencies.ts'
export { descriptorShortage } from './shared/descriptors.ts'
export { EngineError, type ErrorCode } from './shared/errors.ts'
export { type Executor, inlineExecutor, type Job, type RunOptions } from './shared/executor.ts'
export type { Finding } from './shared/finding.ts'
export { checkJsonBounds, MAX_PARAMETER_VALUES } from './shared/input/json-bounds.ts'
export { isObject } from './shared/input/unknowns.ts'
export type { HeldRevisions } from './shared/revision.ts'
export { sharedState } from './shared-state.ts'
export { ALL_ENTRIES, Dictionary } from './submission/dictionary/dictionary.ts'
export { LoadedDictionary } from './submission/dictionary/loaded-dictionary.ts'
export { templateArchive } from './submission/dictionary/template-archive.ts'
export {
  TEMPLATE_FORMATS,
  type TemplateFormat,
  templateList,
  templateText,
  typesWithTemplates,
} from './submission/dictionary/templates.ts'
export type { SubmittedExport } from './submission/export/export-writer.ts'
export type { FileRequest, FileUploadRequest } from './submission/files/admission.ts'
export type { FileAction } from './submission/files/file-actions.ts'
export type { SubmissionFiles } from './submission/files/submission-files.ts'
export type { ManifestVerdict } from './submission/files/upload-manifest.ts'
export type { UploadPart } from './submission/files/upload-store.ts'
export type { GraphAnswer } from './submission/graphql/queries.ts'
export type { GraphRequest } from './submission/graphql/submitted-graph.ts'
export type { ReleaseStep, ReleaseWish, Releasing } from './submission/publish/releasing.ts'
export { formatReleasingReport, type ReleasingReport } from './submission/publish/report.ts'
export type { SubmissionAnswer } from './submission/transactions/answers.ts'
export { formatOf, type SubmissionFormat } from './submission/transactions/parse-body.ts'
export type { SubmissionCaller } from './submission/transactions/permissions.ts'
export type { PutReferences, SubjectsRequest } from './submission/transactions/registry.ts'
export { writeExactJson } from './submission/transactions/store/exact-json.ts'
export type { ProjectSummary } from './submission/transactions/store/projects.ts'
export type {
  Submission,
  SubmissionRequest,
  UploadRequest,
} from './submission/transactions/submission.ts'
