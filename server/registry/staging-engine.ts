import type { Staging } from '../../engine/registry/index.ts'
import type { KeyStore } from '../../engine/shared/index.ts'

export interface StagingEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** The public members: tests pass objects without the private fields of the class. */
  readonly staging: Pick<Staging, keyof Staging>
}
