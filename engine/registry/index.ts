// What others may use of the cancer registry.

export type { CancerRegistry } from './cancer-registry.ts'
export { CATEGORIES } from './codes/categories.ts'
export { Hcpcs } from './codes/hcpcs/hcpcs.ts'
export { Ndc, type NdcRequest } from './codes/ndc/ndc.ts'
export {
  CHANGES,
  type CodeChange,
  type CodeImport,
  type ImportedCodes,
  type RowFate,
  type TableReport,
} from './codes/tables/import-run.ts'
export type { HematopoieticTable } from './multiple-primaries/hematopoietic-data.ts'
export type {
  ImportedHematopoietic,
  ImportedTable,
} from './multiple-primaries/import-hematopoietic.ts'
export { MultiplePrimaries } from './multiple-primaries/service.ts'
export { type AnsweredLines, LineBatches, type LineSource } from './ndjson-batch/line-batches.ts'
export {
  type SearchRequest,
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
export type { EditRequest, PublishingArea } from './publishing/publishing-area.ts'
export { RX, type Rx } from './publishing/rx/definition.ts'
export { regimensOf } from './publishing/rx/regimens.ts'
export type { HistoryEntry, HistoryRequest } from './staging/store/history.ts'
export type {
  ImportedKind,
  ImportedStaging,
  ImportStaging,
  ImportStagingStep,
} from './staging/store/import-staging.ts'
export { type GlossaryRequest, Staging } from './staging/store/service.ts'
export { withoutNulls } from './staging/store/without-nulls.ts'
