// Entry point for slicing files outside a data folder. It is separate so that such a command loads a tenth of
// the engine and no database.

export { findIndex } from './find-index.ts'
export { sliceFile } from './slice-file.ts'
