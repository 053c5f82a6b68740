export { ROLES as PROJECT_ROLES } from './access/grants.ts'
export { KeyStore, type KeySummary } from './access/keys.ts'
export { type Caller, hasRole, ROLES, type Role } from './access/roles.ts'
export type { Principal, TokenSummary } from './access/tokens.ts'
export { TokenStore } from './access/tokens.ts'
export type { Availability } from './availability.ts'
export type { ObjectStoreOptions } from './blobs/object-client.ts'
export { CATEGORIES } from './codes/categories.ts'
export { Hcpcs } from './codes/hcpcs/hcpcs.ts'
export { Ndc, type NdcWish } from './codes/ndc/ndc.ts'
export {
  CHANGES,
  type CodeChange,
  type CodeImport,
  type ImportedCodes,
  type RowFate,
  type TableReport,
} from './codes/tables/import-run.ts'
export type { Database } from './database/database.ts'
export { takeFolder } from './database/folder-lock.ts'
export { DATASET_NAMES, type Dataset, type DatasetName } from './datasets/define.ts'
export type { Dependencies } from './dependencies.ts'
export { descriptorShortage } from './descriptors.ts'
export { ALL_ENTRIES, Dictionary } from './dictionary/dictionary.ts'
export { LoadedDictionary } from './dictionary/loaded-dictionary.ts'
export { templateArchive } from './dictionary/template-archive.ts'
export {
  TEMPLATE_FORMATS,
  type TemplateFormat,
  templateList,
  templateText,
  typesWithTemplates,
} from './dictionary/templates.ts'
export type { Download, DownloadRequest } from './download/downloads.ts'
export type { ByteSpan, DownloadBody } from './download/transfer.ts'
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
export type {
  AvailabilityRequest,
  GeneSelectionRequest,
  ValuesRequest,
} from './expression/expression.ts'
export { type ExpressionUnit, UNITS } from './expression/unit-values.ts'
export type { Finding } from './finding.ts'
export { COPY_NUMBER_TABLE } from './import/copy-number-table.ts'
export {
  type ExpressionReport,
  formatExpressionReport,
} from './import/expression/expression-report.ts'
export {
  type ExpressionStep,
  type ImportExpression,
  importExpression,
} from './import/expression/import-expression.ts'
export { type ImportCommons, importCommons } from './import/import-commons.ts'
export type { ImportStep } from './import/next-release.ts'
export { formatReport, type ImportReport } from './import/report.ts'
export { MUTATION_TABLE } from './import/tables/mutation-table.ts'
export { checkJsonBounds, MAX_PARAMETER_VALUES } from './json-bounds.ts'
export { type AnsweredLines, LineBatches, type LineSource } from './line-batch/line-batches.ts'
export type { HematopoieticTable } from './multiple-primaries/hematopoietic-data.ts'
export type {
  ImportedHematopoietic,
  ImportedTable,
} from './multiple-primaries/import-hematopoietic.ts'
export { MultiplePrimaries } from './multiple-primaries/service.ts'
export type {
  GeneCountsRequest,
  ProjectCountsRequest,
  TopRequest,
} from './mutation-counts/mutation-counts.ts'
export {
  COMPONENTS,
  type Component,
  LEVELS,
  type Level,
  type Notification,
  NotificationStore,
} from './notifications.ts'
export {
  type SearchWish,
  STATUSES as PUBLISHING_STATUSES,
  VERSION_TYPES as PUBLISHING_VERSION_TYPES,
} from './publishing/answers.ts'
export type { PublishingDefinition } from './publishing/content/define-records.ts'
export type { Shape } from './publishing/content/shape.ts'
export {
  AREAS,
  type Area,
  OUTPUT_TYPES as PUBLISHING_OUTPUTS,
  type RecordContent,
} from './publishing/definition.ts'
export { DISEASE, type Disease } from './publishing/disease/definition.ts'
export { ofYear as diseaseOfYear } from './publishing/disease/of-year.ts'
export { PrimaryComparison } from './publishing/disease/primary-comparison.ts'
export { withReportable } from './publishing/disease/reportability.ts'
export { readYear } from './publishing/disease/same-primary.ts'
export { primarySite, primarySites, SITE_CATEGORIES } from './publishing/disease/sites.ts'
export {
  GLOSSARY,
  GLOSSARY_CATEGORIES,
  type GlossaryEntry,
} from './publishing/glossary/definition.ts'
export { TermFinder } from './publishing/glossary/term-finder.ts'
export { importRecords } from './publishing/import-records.ts'
export type { Loaded } from './publishing/loading.ts'
export type { EditWish, PublishingArea } from './publishing/publishing-area.ts'
export { RX, type Rx } from './publishing/rx/definition.ts'
export { regimensOf } from './publishing/rx/regimens.ts'
export type { ReleaseFacts } from './release/releases.ts'
export type { ReleaseStep, ReleaseWish, Releasing } from './releasing/releasing.ts'
export { formatReleasingReport, type ReleasingReport } from './releasing/report.ts'
export type { BodyFormat } from './render/render.ts'
export type { HeldRevisions } from './revision.ts'
export type { ReleaseHealth } from './search/current-release.ts'
export type { SearchAnswer } from './search/leased-answer.ts'
export type { LookupRequest, RecordRequest, SearchRequest } from './search/search.ts'
export { sharedState } from './shared-state.ts'
export type { CellExpression, CellExpressionRequest } from './single-cell/single-cell.ts'
export { sliceFile } from './slicing/slice-file.ts'
export type { SliceBody } from './slicing/slicer.ts'
export type {
  HistoryEntry,
  HistoryWish,
} from './staging-store/history.ts'
export type {
  ImportedKind,
  ImportedStaging,
  ImportStaging,
  ImportStagingStep,
} from './staging-store/import-staging.ts'
export { type GlossaryRequest, Staging } from './staging-store/service.ts'
export { withoutNulls } from './staging-store/without-nulls.ts'
export type { StoredFile } from './store/files.ts'
export { readGenes } from './store/gene-table.ts'
export { GeneModel, type GeneRow } from './store/genes.ts'
export { openState, statePath } from './store/state.ts'
export { findIndex } from './storing/find-index.ts'
export type { ImportBam, ImportedBam } from './storing/import-bam.ts'
export type { ImportedFiles, ImportFiles } from './storing/import-files.ts'
export type { SubmissionAnswer } from './submission/answers.ts'
export { formatOf, type SubmissionFormat } from './submission/parse-body.ts'
export type { SubmissionCaller } from './submission/permissions.ts'
export type { PutReferences, SubjectsRequest } from './submission/registry.ts'
export { writeExactJson } from './submission/store/exact-json.ts'
export type { ProjectSummary } from './submission/store/projects.ts'
export type {
  Submission,
  SubmissionRequest,
  UploadRequest,
} from './submission/submission.ts'
export type { SubmittedExport } from './submission-export/export-writer.ts'
export type { FileRequest, FileUploadRequest } from './submission-files/admission.ts'
export type { FileAction } from './submission-files/file-actions.ts'
export type { SubmissionFiles } from './submission-files/submission-files.ts'
export type { ManifestVerdict } from './submission-files/upload-manifest.ts'
export type { UploadPart } from './submission-files/upload-store.ts'
export type { GraphAnswer } from './submitted-graph/queries.ts'
export type { GraphRequest } from './submitted-graph/submitted-graph.ts'
export type { SurvivalRequest } from './survival/survival.ts'
export { isObject } from './unknowns.ts'
export { idsOfManifest } from './versions/manifest-ids.ts'
export type { VersionForm } from './versions/versions.ts'
