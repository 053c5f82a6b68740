import type { Staging } from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'

export interface StagingEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** Only its methods, so that tests can replace it. */
  readonly staging: Pick<Staging, keyof Staging>
}
