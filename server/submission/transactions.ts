import { z } from '@hono/zod-openapi'
import type { Submissions } from '../../engine/submission/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import {
  asyncFlag,
  type CallerEngine,
  nothingHere,
  PROJECT_PATH,
  projectNames,
  projectRequestOf,
  SUBMISSION_TAGS,
  submissionResponse,
  TOKEN_NEEDED,
} from './call.ts'
import { closeResponses, commitResponses } from './shapes.ts'

export interface TransactionsEngine extends CallerEngine {
  readonly transactions: Pick<Submissions['transactions'], 'commit' | 'closeDryRun'>
}

const names = projectNames.extend({ transaction_id: z.string() })

/** Endpoints that commit and close dry runs (submission.md 10). */
export function transactionEndpoints(engine: TransactionsEngine): readonly Endpoint[] {
  const { transactions } = engine
  const path = `${PROJECT_PATH}/transactions/{transaction_id}`
  return [
    defineEndpoint({
      methods: ['POST', 'PUT'],
      path: `${path}/commit`,
      summary: 'Commit a dry run',
      description:
        'Submits the documents of the dry run again as a transaction, and returns its response. ' +
        'A dry run can be committed once.',
      tags: SUBMISSION_TAGS,
      pathParameters: names,
      parameters: z.object({ async: asyncFlag }),
      takesQueryOnly: true,
      responses: commitResponses,
      security: TOKEN_NEEDED,
      async handle(call) {
        const { transaction_id: id } = call.path
        const request = {
          ...(await projectRequestOf(call, engine, `/transactions/${id}/commit`)),
          transactionId: readId(id),
          isAsync: call.query().async ?? false,
          signal: call.signal,
        }
        return submissionResponse(await transactions.commit(request), call)
      },
    }),
    defineEndpoint({
      methods: ['POST', 'PUT'],
      path: `${path}/close`,
      summary: 'Give a dry run up, so that it can no longer be committed',
      tags: SUBMISSION_TAGS,
      pathParameters: names,
      takesQueryOnly: true,
      responses: closeResponses,
      security: TOKEN_NEEDED,
      async handle(call) {
        const transactionId = readId(call.path.transaction_id)
        const request = { ...(await projectRequestOf(call, engine)), transactionId }
        return submissionResponse(await transactions.closeDryRun(request), call)
      },
    }),
  ]
}

/**
 * Parses a transaction id.
 * @throws EngineError `not_found` if it is not a number
 */
function readId(text: string): number {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw nothingHere()
}
