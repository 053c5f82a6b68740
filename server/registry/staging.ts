import type { KeyStore, Staging } from '../../engine/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { algorithmOperations, versionOperations } from './staging-algorithms.ts'
import { batchEndpoints } from './staging-batch.ts'
import { caseOperations } from './staging-cases.ts'
import { entityOperations } from './staging-entities.ts'

export interface StagingEngine {
  readonly keys: Pick<KeyStore, 'verify'>
  /** Its methods alone, so that tests can stand in. */
  readonly staging: Pick<Staging, keyof Staging>
}

/** The staging area of the registry's interface (seed 4.1, registry.md 2.1). */
export function stagingEndpoints(engine: StagingEngine): readonly Endpoint[] {
  return Object.freeze([
    ...algorithmOperations(engine),
    ...versionOperations(engine),
    ...entityOperations(engine),
    ...caseOperations(engine),
    ...batchEndpoints(engine),
  ])
}
