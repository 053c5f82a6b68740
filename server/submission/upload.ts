import { z } from '@hono/zod-openapi'
import type { Submissions, UploadRequest } from '../../engine/submission/index.ts'
import { formatOf } from '../../engine/submission/internal.ts'
import { type Call, defineEndpoint, type Endpoint, type Method } from '../http/endpoint.ts'
import {
  asyncFlag,
  type CallerEngine,
  PROJECT_PATH,
  projectNames,
  projectRequestOf,
  RESERVED,
  SUBMISSION_TAGS,
  submissionResponse,
  TOKEN_NEEDED,
} from './call.ts'
import { entitiesContent, uploadResponses } from './shapes.ts'

export interface UploadEngine extends CallerEngine {
  readonly transactions: Pick<Submissions['transactions'], 'admit' | 'upload'>
}

const OPERATIONS = Object.freeze({ POST: 'create', PUT: 'put', PATCH: 'patch' } as const)
const METHODS: readonly Method[] = Object.freeze(['POST', 'PUT', 'PATCH'])

const DESCRIPTION =
  'An entity, a list of them, or a table, as JSON, TSV or CSV by the content type. POST creates; ' +
  'PUT creates or updates entities; PATCH updates, and required properties may be left out. ' +
  'All entities are stored or none, in any order. The header `X-Document-Name` names the ' +
  'document in the transaction log.'

/** Endpoints that submit entities to a project (submission.md 7 to 9). */
export function uploadEndpoints(engine: UploadEngine): readonly Endpoint[] {
  const { transactions } = engine
  return [false, true].map((isDryRun) => {
    const tail = isDryRun ? '/_dry_run' : ''
    return defineEndpoint({
      methods: METHODS,
      path: `${PROJECT_PATH}${tail}`,
      summary: isDryRun ? 'Submit entities: dry run' : 'Submit entities',
      description: DESCRIPTION,
      tags: SUBMISSION_TAGS,
      pathParameters: projectNames,
      parameters: z.object({ async: asyncFlag }),
      content: entitiesContent,
      reserved: RESERVED,
      responses: uploadResponses,
      security: TOKEN_NEEDED,
      async handle(call) {
        const operation = OPERATIONS[call.method as keyof typeof OPERATIONS]
        const { signal } = call
        const request = {
          ...(await projectRequestOf(call, engine, tail)),
          operation,
          isDryRun,
          signal,
        }
        // Access is checked before the body is read, so that no client without access makes the server read 16 MiB.
        await transactions.admit(request)
        const isAsync = call.query().async ?? false
        const document = await documentOf(call)
        return submissionResponse(
          await transactions.upload({ ...request, isAsync, ...document }),
          call,
        )
      },
    })
  })
}

/**
 * Reads the submitted document and its format.
 * @param maxBytes limit lower than the general one
 */
export async function documentOf(
  { headers, body }: Pick<Call<unknown, unknown>, 'headers' | 'body'>,
  maxBytes?: number,
): Promise<Pick<UploadRequest, 'body' | 'format' | 'name'>> {
  const name = headers.get('x-document-name')?.trim()
  return {
    body: await body(maxBytes),
    format: formatOf(headers.get('content-type') ?? undefined),
    ...(name && { name }),
  }
}
