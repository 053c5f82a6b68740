// Entry point for slicing files outside a data folder. It is separate so that a command that only slices loads a
// tenth of the engine and no database.

export { findIndex } from './find-index.ts'
export { sliceFile } from './slice-file.ts'
