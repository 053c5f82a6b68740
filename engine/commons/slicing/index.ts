// What slices a file that is in no data folder. A door of its own, so that a command which does no more
// loads a tenth of the engine and no database.

export { findIndex } from '../files/ingest/find-index.ts'
export type { TextForm } from './decode/text-job.ts'
export { type FileSlice, sliceFile } from './slice-file.ts'
