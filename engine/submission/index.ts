// Public interface of engine/submission.

export type { Submissions } from './submissions.ts'

// Transactions and projects.

export type {
  Administration,
  PutReferencesResult,
  SubjectsRequest,
} from './transactions/administration.ts'
export type { SubmissionAnswer } from './transactions/answers.ts'
export type { SubmissionFormat } from './transactions/parse-body.ts'
export type { SubmissionCaller } from './transactions/permissions.ts'
export type { Projects, RegistrationRequest } from './transactions/projects.ts'
export type { FileStateCount, ProjectSummary } from './transactions/store/projects.ts'
export type { ProjectAction, UploadOperation } from './transactions/store/transactions.ts'
export type { Submission, SubmissionRequest, UploadRequest } from './transactions/submission.ts'

// Dictionary of entity types.

export { Dictionary } from './dictionary/dictionary.ts'
export type { EntityType, Link, LinkGroup, Multiplicity } from './dictionary/entity-type.ts'
export type { DictionaryIssue } from './dictionary/issues.ts'
export { LoadedDictionary } from './dictionary/loaded-dictionary.ts'
export type { Kind as PropertyKind, Property } from './dictionary/property.ts'
export type { TemplateFormat } from './dictionary/templates.ts'

// Files of submissions.

export type { FileRequest, FileUploadRequest } from './files/admission.ts'
export type { FileAction } from './files/file-actions.ts'
export type { ListedPart } from './files/part-list.ts'
export type { ArrivingBody } from './files/receive.ts'
export type { SubmissionFiles } from './files/submission-files.ts'
export type { ManifestVerdict } from './files/upload-manifest.ts'
export type { UploadPart } from './files/upload-store.ts'

// Exports and queries.

export type { SchemaBody } from '../shared/graphql/introspection.ts'
export type { Choice as ExportChoice } from './export/chosen-entities.ts'
export type { ExportRequest, SubmittedExport } from './export/export-writer.ts'
export type { ExportFormat } from './export/exported.ts'
export type { SubmissionExport } from './export/submission-export.ts'
export type { GivenData } from './graphql/given-rows.ts'
export type { GraphAnswer } from './graphql/queries.ts'
export type { GraphRequest, SubmittedGraph } from './graphql/submitted-graph.ts'

// Releases of submissions.

export type { ReleasedExpression } from './publish/expression-files.ts'
export type { ReleaseProblem } from './publish/problem.ts'
export type { ReleaseRequest, ReleaseStep, Releasing } from './publish/releasing.ts'
export {
  formatReleasingReport,
  type ReleasingReport,
  type UnsubmittedEntities,
} from './publish/report.ts'
export type { ReleasedProject } from './publish/take-project.ts'
export type { UnsubmittedCount } from './transactions/store/entities.ts'
