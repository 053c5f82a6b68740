import { z } from '@hono/zod-openapi'

/** A GA4GH service (service-info 1.0). */
interface ServiceInfo {
  readonly id: string
  readonly name: string
  readonly type: {
    readonly group: 'org.ga4gh'
    readonly artifact: string
    readonly version: string
  }
  readonly description: string
  readonly organization: { readonly name: string; readonly url: string }
  readonly version: string
}

/** Properties that distinguish the services of one process. */
export interface ServiceFacts {
  /** Last part of the service id. */
  readonly name: string
  readonly description: string
  readonly artifact: string
  /** Version of the specification. */
  readonly specification: string
}

/**
 * Builds the GA4GH description of a service. The id starts with the reversed host name, as the specification
 * requires. It is the same on every node.
 * @param origin origin of the request
 * @param tag version of the program
 * @example serviceInfo(drs, { origin: 'https://data.example.org', tag: '0.1.0' }).id // 'org.example.data.drs'
 */
export function serviceInfo(
  { name, description, artifact, specification }: ServiceFacts,
  { origin, tag }: { readonly origin: string; readonly tag: string },
): ServiceInfo {
  const { hostname } = new URL(origin)
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith('[')
  const reversed = isName ? hostname.split('.').reverse().join('.') : hostname
  return {
    id: `${reversed}.${name}`,
    name: `casemill ${name}`,
    type: { group: 'org.ga4gh', artifact, version: specification },
    description,
    organization: { name: hostname, url: origin },
    version: tag,
  }
}

export const serviceInfoShape = z.object({
  id: z.string(),
  name: z.string(),
  type: z.object({ group: z.string(), artifact: z.string(), version: z.string() }),
  description: z.string(),
  organization: z.object({ name: z.string(), url: z.string() }),
  version: z.string(),
})
