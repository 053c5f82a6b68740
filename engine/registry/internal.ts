// Exports for this package's own server and command line. They are not part of the library.

export { type CompareLines, compareLinesJob } from './multiple-primaries/compare-lines.ts'
export { type FilePart, partsOf, wholeFile } from './naaccr-xml/file-parts.ts'
export { closingOf, describeEnd } from './naaccr-xml/passed-patients.ts'
export { type PlannedFile, stagePart } from './naaccr-xml/registry-files.ts'
export { tumorsParquet } from './naaccr-xml/tumors-parquet.ts'
export { Counts } from './ndjson-batch/counts.ts'
export type { LineJob } from './ndjson-batch/line-job.ts'
export {
  STATUSES as PUBLISHING_STATUSES,
  VERSION_TYPES as PUBLISHING_VERSION_TYPES,
} from './publishing/answers.ts'
export type { PublishingDefinition } from './publishing/content/define-records.ts'
export type { Shape } from './publishing/content/shape.ts'
export { OUTPUT_TYPES as PUBLISHING_OUTPUTS } from './publishing/definition.ts'
export { DISEASE } from './publishing/disease/definition.ts'
export { readYear } from './publishing/disease/same-primary.ts'
export { GLOSSARY } from './publishing/glossary/definition.ts'
export { RX } from './publishing/rx/definition.ts'
export { type RecodeLines, recodeLinesJob } from './recodes/recode-lines.ts'
export { unknownInputs } from './staging/algorithm/unknown-inputs.ts'
export { type StageLines, stageLinesJob } from './staging/store/stage-lines.ts'
export { withoutNulls } from './staging/store/without-nulls.ts'
