// What only this package's own server and command line use; no part of the library.

export { type Backup, backUp } from './backup.ts'
export { sharedState } from './shared-state.ts'
