import { z } from '@hono/zod-openapi'

/** A service of the GA4GH (service-info 1.0). */
export interface ServiceInfo {
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

/** What tells the services of one process apart. */
export interface ServiceFacts {
  /** The last part of the id. */
  readonly name: string
  readonly description: string
  readonly artifact: string
  /** Of the specification. */
  readonly specification: string
}

/**
 * Facts of a service in the form of the GA4GH. The id is the reversed host name, as the specification
 * asks, so that it stays the same behind every node.
 *
 * @param origin of the request
 * @param tag the version of the program
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
