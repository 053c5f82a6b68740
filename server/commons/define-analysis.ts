import type { z } from '@hono/zod-openapi'
import { type Call, defineEndpoint, type Endpoint, type Method } from '../http/endpoint.ts'
import { answer, type ReleaseRequest, type Serving } from './release-answer.ts'

interface Analysis<Parameters extends z.ZodObject> {
  readonly methods: readonly Method[]
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly parameters: Parameters
  readonly responses: Endpoint['responses']
  readonly security?: Endpoint['security']
  /** Builds the request, which the path and its input identify. */
  readonly request: (
    input: z.output<Parameters>,
    call: Pick<Call<unknown, unknown>, 'headers' | 'isRead' | 'token'>,
  ) => Omit<ReleaseRequest, 'key'>
}

/** Defines an analysis: an endpoint whose response depends only on the release and the request. */
export function defineAnalysis<Parameters extends z.ZodObject>(
  serving: Serving,
  { request, ...rest }: Analysis<Parameters>,
): Endpoint {
  return defineEndpoint({
    ...rest,
    tags: ['analysis'],
    compress: true,
    handle: async (call) =>
      answer(call, serving, { key: rest.path, ...request(await call.input(), call) }),
  })
}
