// What others may use of submission.

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
export type { SubmittedExport } from './export/export-writer.ts'
export type { FileRequest, FileUploadRequest } from './files/admission.ts'
export type { FileAction } from './files/file-actions.ts'
export type { SubmissionFiles } from './files/submission-files.ts'
export { MANIFEST_LIMITS, type ManifestVerdict } from './files/upload-manifest.ts'
export type { UploadPart } from './files/upload-store.ts'
export type { GraphAnswer } from './graphql/queries.ts'
export type { GraphRequest } from './graphql/submitted-graph.ts'
export type { ReleaseRequest, ReleaseStep, Releasing } from './publish/releasing.ts'
export { formatReleasingReport, type ReleasingReport } from './publish/report.ts'
export type { Submissions } from './submissions.ts'
export type { SubmissionAnswer } from './transactions/answers.ts'
export { formatOf, type SubmissionFormat } from './transactions/parse-body.ts'
export type { SubmissionCaller } from './transactions/permissions.ts'
export type { PutReferences, SubjectsRequest } from './transactions/registry.ts'
export { writeExactJson } from './transactions/store/exact-json.ts'
export type { ProjectSummary } from './transactions/store/projects.ts'
export type { Submission, SubmissionRequest, UploadRequest } from './transactions/submission.ts'
