// What only this package's own server and command line use; no part of the library.

export { sharedState } from './shared-state.ts'
