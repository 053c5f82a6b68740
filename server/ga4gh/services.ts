import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import type { Config } from '../config.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { originOf } from '../http/origin.ts'
import { json } from '../http/reply.ts'
import { type ServiceFacts, serviceInfo, serviceInfoShape } from './service-info.ts'

/** A GA4GH service of this process. */
export interface ListedService extends ServiceFacts {
  /** Path prefix of the service. */
  readonly path: string
}

const REGISTRY: ServiceFacts = Object.freeze({
  name: 'services',
  description: 'The GA4GH services of this server',
  artifact: 'service-registry',
  specification: '1.0.0',
})

const TAGS = ['ga4gh']
const listedShape = serviceInfoShape.extend({ url: z.string() })

/** Endpoints of the GA4GH service registry, version 1.0, which lists the services of this process. */
export function servicesEndpoints(
  services: readonly ListedService[],
  {
    config,
    tag,
  }: { readonly config: Pick<Config, 'host' | 'port' | 'trustedProxies'>; tag: string },
): readonly Endpoint[] {
  const originAt = ({ headers }: Call<unknown, unknown>) => originOf(headers, config)
  const shown = (call: Call<unknown, unknown>) => {
    const origin = originAt(call)
    return services.map((service) => ({
      ...serviceInfo(service, { origin, tag }),
      url: `${origin}${call.prefix}${service.path}`,
    }))
  }
  const listed = (shape: z.ZodType) => ({
    200: { description: 'The services', content: { 'application/json': z.array(shape) } },
  })
  return Object.freeze([
    defineEndpoint({
      methods: ['GET'],
      path: '/service-info',
      summary: 'Properties of the registry of services',
      tags: TAGS,
      responses: {
        200: { description: 'The properties', content: { 'application/json': serviceInfoShape } },
      },
      handle: (call) => json(200, serviceInfo(REGISTRY, { origin: originAt(call), tag })),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/services',
      summary: 'The GA4GH services of this server',
      tags: TAGS,
      responses: listed(listedShape),
      handle: (call) => json(200, shown(call)),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/services/types',
      summary: 'The kinds of these services',
      tags: TAGS,
      responses: listed(serviceInfoShape.shape.type),
      handle(call) {
        const types = shown(call).map(({ type }) => [JSON.stringify(type), type] as const)
        return json(200, [...new Map(types).values()])
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/services/{service_id}',
      summary: 'One of these services',
      tags: TAGS,
      pathParameters: z.object({ service_id: z.string() }),
      responses: {
        200: { description: 'The properties', content: { 'application/json': listedShape } },
        404: { description: 'No service has the id.' },
      },
      handle(call) {
        const id = call.path.service_id
        const all = shown(call)
        const found = all.find((service) => service.id === id)
        if (found) return json(200, found)
        const known = all.map((service) => service.id).join(', ')
        throw new EngineError(
          'not_found',
          `no service has the id "${id.slice(0, 80)}"; there are ${known}`,
        )
      },
    }),
  ])
}
