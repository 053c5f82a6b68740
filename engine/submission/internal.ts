// Exports for this package's own server and command line. They are not part of the library.

export { ALL_ENTRIES } from './dictionary/dictionary.ts'
export { templateArchive } from './dictionary/template-archive.ts'
export {
  TEMPLATE_FORMATS,
  templateList,
  templateText,
  typesWithTemplates,
} from './dictionary/templates.ts'
export { MANIFEST_LIMITS } from './files/upload-manifest.ts'
export { formatOf } from './transactions/parse-body.ts'
export { writeExactJson } from './transactions/store/exact-json.ts'
