// Public interface of the cancer registry.

export type { CancerRegistry } from './cancer-registry.ts'

// Staging of tumors.

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
  Discriminator as StagingDiscriminator,
  InputMap,
  ItemName as StagingItemName,
  ItemNames as StagingItemNames,
  SchemaChoice,
  SchemaInfo,
  StagingData,
  StagingError,
  StagingErrorType,
  StagingHints,
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
export {
  CODEBOOK_PARTS,
  type CodebookLine,
  type CodebookPart,
  type CodebookRequest,
} from './staging/store/codebook.ts'
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
export type { EntityAtRevision } from './staging/store/loaded-version.ts'
export type { SchemaProjection, TableProjection } from './staging/store/projections.ts'
export { Staging, type StagingOptions } from './staging/store/service.ts'
export type { FindTerms } from './staging/store/sources.ts'
export type {
  DifferenceRequest as StagingDifferenceRequest,
  GlossaryRequest,
  ListRequest,
  StageDifferenceRun,
  StageOneOptions,
  StageRun,
  StagingVersion,
  TableListRequest,
} from './staging/store/staging-version.ts'
export type { VersionType as StagingVersionType } from './staging/store/stored.ts'
export {
  DIFFERENCE_FORMATS,
  type DifferenceFormat as StagingDifferenceFormat,
} from './staging/store/version-difference.ts'

// Processing of registry files.

export {
  type Assignment,
  type Conversion,
  type ConversionRule,
  type NewValue,
  parseConversion,
  type ReadConversion,
  type Recoding,
  readConversion,
} from './conversions/conversion-rules.ts'
export {
  CONVERSION_FORMATS,
  type ConversionFormat,
  type Converted,
  type ConvertedPatient,
  type ItemChange,
  type RequestedReview,
} from './conversions/convert-patients.ts'
export {
  type ConversionRun,
  type ConversionSummary,
  type ConvertedFile,
  RegistryConversions,
  type RegistryConversionsOptions,
} from './conversions/registry-conversions.ts'
export type { EditedPatient, FailedEdit } from './edits/edit-patients.ts'
export type { EditDescription } from './edits/item-edits.ts'
export {
  EDIT_FORMATS,
  type EditedFile,
  type EditFormat,
  type EditRun,
  type EditSummary,
  RegistryEdits,
  type RegistryEditsOptions,
  type RuleSet,
  readRules,
} from './edits/registry-edits.ts'
export { type EditRule, parseRules } from './edits/rule-file.ts'
export { SHIPPED_RULES } from './edits/shipped-rules.ts'
export {
  type AlgorithmRule,
  DEFAULT_ALGORITHM_TABLE,
  parseAlgorithmTable,
  readAlgorithmTable,
} from './naaccr-xml/algorithm-table.ts'
export type { PatientAnswer, StagedByVersion, TumorAnswer } from './naaccr-xml/answers.ts'
export { AUTO, type ChosenVersion, chooseAlgorithms } from './naaccr-xml/choose-algorithms.ts'
export type {
  DataType as NaaccrDataType,
  Dictionary as NaaccrDictionary,
  Element as NaaccrElement,
  ItemDefinition,
} from './naaccr-xml/dictionary.ts'
export {
  ALL_FILE_RECODES,
  DEFAULT_RECODES,
  FILE_RECODES,
  type RecodeAnswers,
} from './naaccr-xml/file-recodes.ts'
export type { FindDictionary } from './naaccr-xml/find-dictionaries.ts'
export type { FileHead, ItemFault, ItemFaultCode, RecordType } from './naaccr-xml/model.ts'
export { readDictionary } from './naaccr-xml/read-dictionary.ts'
export {
  type FileRun,
  type FileSummary,
  RESULT_FORMATS,
  RegistryFiles,
  type RegistryFilesOptions,
  type ResultFormat,
  type StagedFile,
} from './naaccr-xml/registry-files.ts'
export type { StagedTumor } from './naaccr-xml/stage-tumor.ts'
export type { CodeRange } from './rules/code-range.ts'
export type { Code, Condition, Operator, Term } from './rules/condition.ts'

// Comparison of tumors for multiple primaries.

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
export {
  type CompareOptions,
  MultiplePrimaries,
  type MultiplePrimariesOptions,
} from './multiple-primaries/service.ts'

// Recodes of tumors and patients.

export { findSiteGroup, type RecodedPatient } from './recodes/answer.ts'
export { PATIENT_RECODES } from './recodes/patient-recodes.ts'
export type {
  PatientRecode,
  PatientTexts,
  PatientVersion,
  Recode,
  RecodeVersion,
  SiteGroup,
  Texts as RecodeTexts,
} from './recodes/recode.ts'
export { OTHER_RECODES, RECODES } from './recodes/recodes.ts'
export {
  ALL_RECODES,
  type RecodeRequest,
  Recodes,
  type RecodesOptions,
} from './recodes/service.ts'
export { SITE_GROUPS } from './recodes/site-groups.ts'

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

// Drug products (NDC) and procedures (HCPCS).

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

// Documentation of NAACCR items.

export type {
  AllowedCode,
  ItemTexts,
  NaaccrItem,
  NaaccrItemInfo,
  NaaccrVersion,
  TextMember as NaaccrTextMember,
} from './naaccr/model.ts'
export {
  type ImportedNaaccr,
  type ImportNaaccr,
  Naaccr,
  type NaaccrFiles,
  type NaaccrOptions,
  type NaaccrRequest,
} from './naaccr/naaccr.ts'

// Tables of surgery codes.

export type { SurgeryRequest } from './surgery/find-table.ts'
export type { SurgeryHead, SurgeryRow, SurgeryTable } from './surgery/model.ts'
export {
  type ImportedSurgery,
  type ImportSurgery,
  Surgery,
  type SurgeryOptions,
} from './surgery/surgery.ts'

// Batches of one request per line.

export type { Counted } from './ndjson-batch/counts.ts'
export {
  type AnsweredLines,
  LineBatches,
  type LineSource,
  type LinesRun,
} from './ndjson-batch/line-batches.ts'
