import type { Endpoint } from '../http/endpoint.ts'
import { type EntitiesEngine, entityEndpoints } from './entities.ts'
import { type ProjectsEngine, projectEndpoints } from './projects.ts'
import { type TransactionsEngine, transactionEndpoints } from './transactions.ts'
import { type UnsupportedEngine, unsupportedEndpoints } from './unsupported.ts'
import { type UploadEngine, uploadEndpoints } from './upload.ts'

export type SubmissionEngine = ProjectsEngine &
  UploadEngine &
  TransactionsEngine &
  EntitiesEngine &
  UnsupportedEngine

/**
 * Endpoints for submission of entities to projects (data-commons-service.md 2.4, 3, 4.6, 5, 7.2;
 * submission.md 1 to 3, 7 to 11, 13.3).
 */
export function submissionEndpoints(engine: SubmissionEngine): readonly Endpoint[] {
  return Object.freeze([
    ...projectEndpoints(engine),
    ...uploadEndpoints(engine),
    ...transactionEndpoints(engine),
    ...entityEndpoints(engine),
    ...unsupportedEndpoints(engine),
  ])
}
