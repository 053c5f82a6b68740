import type { Staging } from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'

export interface StagingEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** Its methods alone, so that tests can stand in. */
  readonly staging: Pick<Staging, keyof Staging>
}
