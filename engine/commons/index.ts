// What others may use of the data commons.

export type {
  AvailabilityRequest,
  GeneSelectionRequest,
  ValuesRequest,
} from './analysis/expression/expression.ts'
export { type ExpressionUnit, UNITS } from './analysis/expression/unit-values.ts'
export type {
  GeneCountsRequest,
  ProjectCountsRequest,
  TopRequest,
} from './analysis/mutation-counts/mutation-counts.ts'
export type { CellExpression, CellExpressionRequest } from './analysis/single-cell/single-cell.ts'
export type { SurvivalRequest } from './analysis/survival/survival.ts'
export type { Commons } from './commons.ts'
export { DATASET_NAMES, type Dataset, type DatasetName } from './datasets/define.ts'
export type { Download, DownloadRequest } from './files/download/downloads.ts'
export type { ByteSpan, DownloadBody } from './files/download/transfer.ts'
export type { ImportedFiles, ImportFiles } from './files/ingest/file-import.ts'
export { findIndex } from './files/ingest/find-index.ts'
export type { ImportBam, ImportedBam } from './files/ingest/import-bam.ts'
export { idsOfManifest } from './files/versions/manifest-ids.ts'
export type { VersionForm } from './files/versions/versions.ts'
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
export type { ReleaseFacts } from './release/releases.ts'
export type { BodyFormat } from './render/render.ts'
export type { ReleaseHealth } from './search/current-release.ts'
export type { SearchAnswer } from './search/leased-answer.ts'
export type { LookupRequest, RecordRequest, SearchRequest } from './search/search.ts'
export { sliceFile } from './slicing/slice-file.ts'
export type { SliceBody } from './slicing/slicer.ts'
export type { ReadableBam, Slice, SliceRequest } from './slicing/slicing.ts'
