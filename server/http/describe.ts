import type { OpenAPIHono, RouteConfig, z } from '@hono/zod-openapi'
import type { Endpoint, Method, SecurityRequirement } from './endpoint.ts'
import { type ApiDocument, type Examples, forForms } from './examples.ts'
import type { AppEnv } from './exchange.ts'

/** Adds an endpoint to the API document, once per method. */
export function registerEndpoint(
  app: OpenAPIHono<AppEnv>,
  endpoint: Endpoint,
  failure: z.ZodType,
): void {
  for (const method of endpoint.methods) {
    app.openAPIRegistry.registerPath({
      method: method.toLowerCase() as Lowercase<Method>,
      path: endpoint.path,
      operationId: operationId(method, endpoint.path),
      summary: endpoint.summary,
      ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
      tags: [...endpoint.tags],
      request: requestOf(method, endpoint),
      responses: responsesOf(endpoint, failure),
      ...(endpoint.security.length === 0 ? {} : { security: endpoint.security.map(copy) }),
    })
  }
}

function requestOf(method: Method, endpoint: Endpoint) {
  const { pathParameters, parameters, content, takesQueryOnly } = endpoint
  const params = Object.keys(pathParameters.shape).length === 0 ? {} : { params: pathParameters }
  if (content) {
    const types = Object.entries(content).map(([type, schema]) => [type, { schema }] as const)
    const body = { required: true, content: Object.fromEntries(types) }
    return { ...params, query: parameters, body }
  }
  if (Object.keys(parameters.shape).length === 0) return params
  if (method === 'GET' || method === 'DELETE' || takesQueryOnly) {
    return { ...params, query: parameters }
  }
  const schema = { schema: parameters }
  return {
    ...params,
    body: {
      required: false,
      content: { 'application/json': schema, 'application/x-www-form-urlencoded': schema },
    },
  }
}

function copy(requirement: SecurityRequirement): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(requirement).map(([name, scopes]) => [name, [...scopes]]),
  )
}

function responsesOf({ responses }: Endpoint, failure: z.ZodType): RouteConfig['responses'] {
  const described = Object.entries(responses).map(([status, { description, content }]) => {
    if (content === undefined) return [status, { description }] as const
    const types = Object.entries(content).map(([type, schema]) => [type, { schema }] as const)
    return [status, { description, content: Object.fromEntries(types) }] as const
  })
  return {
    ...Object.fromEntries(described),
    default: {
      description: 'Any failure.',
      content: { 'application/json': { schema: failure } },
    },
  }
}

/**
 * Returns the id of an operation.
 * @example operationId('GET', '/files/{file_id}') // 'get_files_file_id'
 */
function operationId(method: Method, path: string): string {
  return [method.toLowerCase(), ...(path.match(/\w+/g) ?? [])].join('_')
}

/** Parts of the API document besides the operations. */
interface About {
  readonly version: string
  /** Groups of operations, in order. */
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly examples: Examples
}

/** Returns the OpenAPI 3.1 document of all registered endpoints. */
export function describeApi(
  app: OpenAPIHono<AppEnv>,
  { version, tags, examples }: About,
): ApiDocument {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'casemill',
      version,
      description: 'A cancer cohort over the genomic data commons and cancer registry interfaces.',
      termsOfService: '/terms',
      license: { name: 'Apache-2.0' },
      // The interface below /rest has its own version (registry-service.md 9).
      'x-interface-versions': { registry: '1.0' },
    },
    servers: [{ url: '/' }],
    tags: [...tags],
  })
  return forForms(document, examples)
}
