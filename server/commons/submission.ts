import type { Endpoint } from '../http/endpoint.ts'
import { type EntitiesEngine, entityEndpoints } from './submission-entities.ts'
import { type ProjectsEngine, projectEndpoints } from './submission-projects.ts'
import { type TransactionsEngine, transactionEndpoints } from './submission-transactions.ts'
import { type UploadEngine, uploadEndpoints } from './submission-upload.ts'

export type SubmissionEngine = ProjectsEngine & UploadEngine & TransactionsEngine & EntitiesEngine

/** Submission of entities to projects (001 2.4, 3, 4.6, 5, 7.2; submission 1 to 3, 7 to 11, 13.3). */
export function submissionEndpoints(engine: SubmissionEngine): readonly Endpoint[] {
  return Object.freeze([
    ...projectEndpoints(engine),
    ...uploadEndpoints(engine),
    ...transactionEndpoints(engine),
    ...entityEndpoints(engine),
  ])
}
