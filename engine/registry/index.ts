// What others may use of the cancer registry.

export type { CancerRegistry } from './cancer-registry.ts'

// Staging.

export type { ReferenceFinding } from './staging/algorithm/findings.ts'
export type { GlossaryLookup, GlossaryMatch } from './staging/algorithm/glossary.ts'
export type {
  Cell,
  Column,
  ColumnType,
  Entity as StagingEntity,
  FromTo,
  GlossaryTerm,
  KeyValue,
  Mapping,
  Metadata,
  OnInvalidInput,
  SchemaInput,
  SchemaOutput,
  StagingSchema,
  StagingTable,
  TablePath,
} from './staging/algorithm/model.ts'
export type {
  InputMap,
  SchemaInfo,
  StagingData,
  StagingError,
  StagingErrorType,
  StagingResult,
  TableMatch,
  Visit,
  VisitPurpose,
} from './staging/algorithm/result.ts'
export type { StageOptions } from './staging/algorithm/stage.ts'
export type {
  Catalogue as StagingCatalogue,
  StagingAlgorithm,
  StagingAlgorithmVersion,
} from './staging/store/catalogue.ts'
export type {
  BatchResult,
  EditableVersion,
  EditNote,
  EntityNames,
} from './staging/store/editable-version.ts'
export type {
  EntityOf,
  Kind as StagingEntityKind,
  SchemaOrTable,
  VersionName,
} from './staging/store/entities.ts'
export type { HistoryEntry, HistoryRequest } from './staging/store/history.ts'
export type {
  ImportedKind,
  ImportedStaging,
  ImportStaging,
  ImportStagingStep,
} from './staging/store/import-staging.ts'
export type { SchemaProjection, TableProjection } from './staging/store/projections.ts'
export { Staging, type StagingOptions } from './staging/store/service.ts'
export type {
  GlossaryRequest,
  ListRequest,
  StageRun,
  StagingVersion,
  TableListRequest,
} from './staging/store/staging-version.ts'
export type { VersionType as StagingVersionType } from './staging/store/stored.ts'

// Multiple primaries.

export type {
  GroupPair,
  HematopoieticData,
  HematopoieticTable,
  HistologyGroup,
  HistologyRangePair,
  MorphologyPair,
} from './multiple-primaries/hematopoietic-data.ts'
export type {
  ImportedHematopoietic,
  ImportedTable,
} from './multiple-primaries/import-hematopoietic.ts'
export type {
  PatientResult,
  Place as TumourPlace,
  PlacedTumour,
  ReportedPair,
} from './multiple-primaries/patient.ts'
export type {
  AppliedRule,
  MphGroup,
  MphOutcome,
  MphResult,
  RuleText,
} from './multiple-primaries/result.ts'
export { MultiplePrimaries, type MultiplePrimariesOptions } from './multiple-primaries/service.ts'

// Drugs, terms and diseases.

export type {
  Additions,
  Changelog,
  ChangelogEntry,
  ChangelogRequest,
  ChangelogResults,
  Contents,
  Editorial,
  FormerRecord,
  FoundRecord,
  HistoryEvent,
  KeywordCount,
  KeywordRequest,
  Published,
  PublishedRecord,
  PublishedVersion,
  SearchRequest,
  SearchResults,
  Status as PublishingStatus,
  StatusSummary,
  VersionType as PublishingVersionType,
} from './publishing/answers.ts'
export type { PublishingAreas } from './publishing/areas.ts'
export { AREAS, type Area, type RecordContent } from './publishing/definition.ts'
export type { Disease } from './publishing/disease/definition.ts'
export { ofYear as diseaseOfYear } from './publishing/disease/of-year.ts'
export type { PrimaryComparison } from './publishing/disease/primary-comparison.ts'
export type { SiteRange } from './publishing/disease/ranges.ts'
export { withReportable } from './publishing/disease/reportability.ts'
export type { SamePrimaries, SamePrimaryRequest } from './publishing/disease/same-primary.ts'
export {
  type PrimarySite,
  primarySite,
  primarySites,
  SITE_CATEGORIES,
  type SiteCategory,
} from './publishing/disease/sites.ts'
export { GLOSSARY_CATEGORIES, type GlossaryEntry } from './publishing/glossary/definition.ts'
export type { TermFinder } from './publishing/glossary/term-finder.ts'
export {
  type ImportRecords,
  importRecords,
  type RecordsTarget,
} from './publishing/import-records.ts'
export type { Loaded, LoadRequest } from './publishing/loading.ts'
export type { EditRequest, PublishingArea } from './publishing/publishing-area.ts'
export type { Rx } from './publishing/rx/definition.ts'
export { regimensOf } from './publishing/rx/regimens.ts'

// Drug products and procedures.

export { CATEGORIES, type Category as CodeCategory } from './codes/categories.ts'
export type { CodeHistoryEntry } from './codes/code-history.ts'
export type { CodesOptions } from './codes/codes.ts'
export { Hcpcs } from './codes/hcpcs/hcpcs.ts'
export type { HcpcsProcedure, ProcedureContent } from './codes/hcpcs/procedure.ts'
export type { NdcTables } from './codes/ndc/import-ndc.ts'
export { Ndc, type NdcRequest } from './codes/ndc/ndc.ts'
export type {
  NdcProduct,
  ProductContent,
  ProductPackage,
  RegistryPart,
  Substance,
} from './codes/ndc/product.ts'
export type { CodePage, CodeRequest } from './codes/search-request.ts'
export {
  CHANGES,
  type Change,
  type CodeChange,
  type CodeImport,
  type CodeImportStep,
  type ImportedCodes,
  type RowFate,
  type TableReport,
} from './codes/tables/import-run.ts'

// Batches of lines.

export { type AnsweredLines, LineBatches, type LineSource } from './ndjson-batch/line-batches.ts'
