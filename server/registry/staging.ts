import type { Endpoint } from '../http/endpoint.ts'
import { algorithmOperations, versionOperations } from './staging-algorithms.ts'
import { batchEndpoints } from './staging-batch.ts'
import { caseOperations } from './staging-cases.ts'
import type { StagingEngine } from './staging-engine.ts'
import { entityOperations } from './staging-entities.ts'
import { wholeVersionEndpoints } from './staging-whole.ts'

/** Endpoints of the staging area (registry-service.md 4.1, registry.md 2.1). */
export function stagingEndpoints(engine: StagingEngine): readonly Endpoint[] {
  return Object.freeze([
    ...algorithmOperations(engine),
    ...versionOperations(engine),
    ...entityOperations(engine),
    ...caseOperations(engine),
    ...batchEndpoints(engine),
    ...wholeVersionEndpoints(engine),
  ])
}
