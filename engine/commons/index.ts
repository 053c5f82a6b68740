// Public interface of the data commons.

export type {
  Commons,
  CommonsCheck,
  CommonsLimits,
  ImportFilesRun,
  ImportRun,
  ReleaseLoad,
} from './commons.ts'

// Datasets, search and releases.

export type { Bare } from './datasets/case-gene.ts'
export {
  type CasePath,
  DATASET_NAMES,
  type Dataset,
  type DatasetName,
  type FieldTree,
  type FieldType,
  type LinkMount,
  type Mount,
  type QuickSearch,
  type RelatedName,
  type RelatedPaths,
  type ReverseMount,
} from './datasets/define.ts'
export type { Mapping, MappingEntry } from './datasets/mapping.ts'
export { type ReleaseFacts, Releases } from './release/releases.ts'
export type { BodyFormat } from './render/render.ts'
export type { ReleaseHealth } from './search/current-release.ts'
export type { SearchAnswer, SearchRun } from './search/leased-answer.ts'
export type { QuickSearchAnswer, QuickSearchRequest } from './search/quick-search.ts'
export type { ListRequest } from './search/read-requests.ts'
export type { RequestedFilters } from './search/record-filter.ts'
export type { LookupRequest, RecordRequest, Search, SearchRequest } from './search/search.ts'

// Sets and cohorts that clients keep here.

export {
  COHORT_LIMITS,
  type CohortOwner,
  type Cohorts,
  type GivenCohort,
  type StoredCohort,
} from './cohorts/cohorts.ts'
export type { SetAnswer, SetFile, SetFiles, SetFilesRun } from './sets/set-files.ts'
export { SET_KINDS, SET_TYPES, type SetKind, type SetType } from './sets/set-store.ts'
export {
  type ChangeMembers,
  type ChosenMembers,
  type CombinedSet,
  type CombineSets,
  type CreateSet,
  SET_OPERATIONS,
  type SetOperation,
  type SetPart,
  type SetRun,
  type Sets,
  type StoredSet,
} from './sets/sets.ts'

// Releases that nodes have in common.

export type { Distribution, ListedOffer } from './distribution/distribution.ts'
export type { RemovedObjects } from './distribution/objects.ts'
export type {
  ListedRelease,
  NodeState,
  OfferedRelease,
  ReleasePointer,
  SeenNode,
} from './distribution/offers.ts'
export type { PublishedRelease, PublishRun, PublishStep } from './distribution/publish-release.ts'
export type { SwitchedRelease, SwitchRun } from './distribution/switch-release.ts'
export type { WithdrawnRelease, WithdrawRun } from './distribution/withdraw-release.ts'

// Export of a release for other programs.

export {
  type ExportedLake,
  type ExportedTable,
  type ExportLake,
  exportLake,
  type LakeStep,
} from './lake/export-lake.ts'

// Tables of cases.

export type { CaseTables, CaseTablesRequest } from './case-tables/case-tables.ts'
export type { TableKind } from './case-tables/tables.ts'

// Files and downloads.

export type { ByteSpan } from '../shared/streams/byte-span.ts'
export type {
  Download,
  DownloadRequest,
  DownloadRun,
  Downloads,
  IndexRequest,
} from './files/download/downloads.ts'
export { INDEX_ENDINGS, type IndexEnding } from './files/download/file-index.ts'
export { SupersededFile } from './files/download/resolve.ts'
export type {
  FileLink,
  FileLinks,
  LinkOptions,
  PresignedLink,
} from './files/links/file-links.ts'
export type { Presigning } from './files/links/presigned-links.ts'
export { idsOfManifest } from './files/versions/manifest-ids.ts'
export type { VersionForm, Versions } from './files/versions/versions.ts'
export type { ImportedFiles, ImportFiles } from './import/files/file-import.ts'
export type { ImportAddress } from './import/files/import-address.ts'
export type { ImportBam, ImportedBam } from './import/files/import-bam.ts'
export type { ImportedKind } from './import/files/prove-file.ts'
export type { GivenRights } from './import/files/rights.ts'
export { findIndex } from './slicing/find-index.ts'

// Objects of the Data Repository Service.

export { type Drs, type DrsResult, type DrsRun, MAX_DRS_OBJECTS } from './drs/drs.ts'
export type {
  DescribedObject,
  DrsBlob,
  DrsBundle,
  DrsChecksum,
  DrsContent,
  DrsObject,
} from './drs/drs-object.ts'

// Tickets of htsget.

export type { BlocksRequest } from './htsget/blocks.ts'
export type { CutRun, HtsgetRegion } from './htsget/cutters.ts'
export { FORMATS, type HtsgetFormat, type HtsgetKind } from './htsget/formats.ts'
export type { HeldHts, Htsget, HtsgetRequest, HtsgetTicket, ReadableHts } from './htsget/htsget.ts'
export type { BlocksPart, MadePart, RangePart, TicketPart } from './htsget/ticket-parts.ts'

// Slices.

export type { NamedInterval } from '../shared/input/region.ts'
export type { CoverageWanted } from './slicing/decode/coverage.ts'
export type { PageWanted } from './slicing/decode/record-page.ts'
export type { TextForm } from './slicing/decode/text-job.ts'
export type { EdgeStep, Inside } from './slicing/edge.ts'
export type { Range } from './slicing/extent.ts'
export type { AlignmentPaths } from './slicing/parts.ts'
export type { CopiedPiece, EdgeOrigin, MadePiece, Piece } from './slicing/pieces.ts'
export type { SoughtRecord } from './slicing/records/find-record.ts'
export type { FindGenes } from './slicing/select.ts'
export { type FileSlice, sliceFile } from './slicing/slice-file.ts'
export type { PlanOptions, SliceOptions, SlicePlan } from './slicing/slicer.ts'
export type {
  BodyForm,
  PlannedSlice,
  PlanRun,
  ReadableBam,
  Slice,
  SliceRequest,
  SliceRun,
  Slicing,
} from './slicing/slicing.ts'

// Analyses.

export type {
  CompareFieldsRequest,
  Comparison,
  EnrichmentRequest,
  VariablesRequest,
} from './analysis/comparison/comparison.ts'
export type { EnrichmentQuery } from './analysis/comparison/enrichment.ts'
export type { CaseSources, GeneSources } from './analysis/expression/case-sources.ts'
export type {
  AvailabilityRequest,
  CoexpressionRequest,
  DifferentialRequest,
  Expression,
  GeneSelectionRequest,
  GenesFormat,
  SetScoresRequest,
  TestedGenes,
  ValuesFormat,
  ValuesRequest,
} from './analysis/expression/expression.ts'
export type { MatrixKind } from './analysis/expression/matrix-format.ts'
export type { ScoreMethod } from './analysis/expression/set-scores-job.ts'
export { type ExpressionUnit, UNITS } from './analysis/expression/unit-values.ts'
export type { CountedChange } from './analysis/mutation-counts/changed-cases.ts'
export type { GivenFilters } from './analysis/mutation-counts/conditions.ts'
export type {
  BurdenRequest,
  CopyNumbersRequest,
  GeneAssociationsRequest,
  GeneChangesRequest,
  GeneCountsRequest,
  MutationCounts,
  OncogridRequest,
  ProjectCountsRequest,
  SegmentsRequest,
  TopRequest,
} from './analysis/mutation-counts/mutation-counts.ts'
export type {
  MutationTableRequest,
  MutationTables,
} from './analysis/mutation-counts/mutation-tables.ts'
export type { CellAnnotations } from './analysis/single-cell/annotation-body.ts'
export type { AnnotationFacts } from './analysis/single-cell/annotations.ts'
export type {
  CellAnnotationRequest,
  CellExpressionRequest,
  SingleCell,
} from './analysis/single-cell/single-cell.ts'
export type { CurveFilters } from './analysis/survival/curves.ts'
export { SURVIVAL_ENDPOINTS, type SurvivalEndpoint } from './analysis/survival/endpoint.ts'
export type { Survival, SurvivalRequest } from './analysis/survival/survival.ts'
export type { DonorStyle } from './analysis/survival/write-donors.ts'

// GraphQL.

export type { SearchGraph, SearchGraphRequest } from './graphql/search-graph.ts'
export type { SearchGraphAnswer } from './graphql/searches.ts'

// Imports.

export type { NamedCase, PossibleTwins, Twins } from './import/case-twins.ts'
export { COPY_NUMBER_TABLE } from './import/copy-number-table.ts'
export type { LeftOutReason } from './import/expression/choose.ts'
export {
  type ExpressionReport,
  formatExpressionReport,
  type SamplesLeftOut,
} from './import/expression/expression-report.ts'
export type { GenesLeftOut } from './import/expression/gene-book.ts'
export {
  type ExpressionStep,
  type ImportExpression,
  importExpression,
} from './import/expression/import-expression.ts'
export type { EmptyCells } from './import/expression/issue-tally.ts'
export type { NoOwner } from './import/expression/owners.ts'
export type { NotTaken } from './import/expression/tables.ts'
export {
  type Scale,
  SOURCE_SCALES,
  SOURCE_UNITS,
  type Unit,
} from './import/expression/units.ts'
export { type ImportCommons, importCommons } from './import/import-commons.ts'
export type { JoinReport, NewCases } from './import/joins.ts'
export { formatKeptReport, type KeptReport, readReport } from './import/kept-report.ts'
export type { MakeCurrent } from './import/make-current.ts'
export type { ImportStep, ReleaseToMake } from './import/next-release.ts'
export {
  type BadRow,
  type DatasetReport,
  type FieldConflict,
  formatReport,
  type ImportReport,
  type SourceReport,
} from './import/report.ts'
export { MUTATION_TABLE } from './import/tables/mutation-table.ts'
export type { SymbolReport } from './import/unknown-symbols.ts'
export {
  type UpgradedRelease,
  type UpgradeRelease,
  upgradeRelease,
} from './import/upgrade-release.ts'
