import { z } from 'zod'
import type { ReleaseFacts } from '../../engine/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import type { Metrics } from '../http/metrics.ts'
import { prepare } from '../http/prepared.ts'
import { json, reply } from '../http/reply.ts'

/** What names the running version. */
export interface StatusFacts {
  readonly commit: string
  readonly tag: string
}

export interface SystemSources {
  readonly status: StatusFacts
  /** The release that is served at the moment, if there is one. */
  readonly release: () => ReleaseFacts | undefined
  readonly metrics: Metrics
  readonly ready: () => boolean
  readonly document: () => unknown
}

const statusSchema = z.object({
  commit: z.string(),
  data_release: z.string(),
  data_release_version: z.object({
    major: z.int(),
    minor: z.int(),
    release_date: z.string(),
  }),
  status: z.literal('OK'),
  tag: z.string(),
  version: z.int(),
})

const stateSchema = z.object({ status: z.string() })

/** The endpoints that are about the service itself (001 4.1, contract 4.2). */
export function systemEndpoints(sources: SystemSources): readonly Endpoint[] {
  const { status, release, metrics, ready } = sources
  const document = prepare('application/json', () => JSON.stringify(sources.document()))
  return Object.freeze([
    defineEndpoint({
      methods: ['GET'],
      path: '/status',
      summary: 'Version of the service and of its data release',
      tags: ['system'],
      responses: {
        200: { description: 'The status', content: { 'application/json': statusSchema } },
      },
      handle: () => json(200, statusBody(status, release())),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/health/live',
      summary: 'Whether the process answers at all',
      tags: ['system'],
      responses: { 200: { description: 'It does', content: { 'application/json': stateSchema } } },
      handle: () => json(200, { status: 'live' }),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/health/ready',
      summary: 'Whether new requests are welcome',
      tags: ['system'],
      responses: {
        200: { description: 'They are', content: { 'application/json': stateSchema } },
        503: { description: 'It is stopping', content: { 'application/json': stateSchema } },
      },
      handle: () => (ready() ? json(200, { status: 'ready' }) : json(503, { status: 'stopping' })),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/metrics',
      summary: 'Numbers for Prometheus',
      tags: ['system'],
      responses: {
        200: { description: 'Text exposition format', content: { 'text/plain': z.string() } },
      },
      handle: async () => reply(200, metrics.contentType, await metrics.text()),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/openapi.json',
      summary: 'This document',
      tags: ['system'],
      responses: {
        200: { description: 'OpenAPI 3.1', content: { 'application/json': z.unknown() } },
      },
      compress: true,
      handle: ({ send }) => send(document()),
    }),
  ])
}

/** What is told before there is any release. */
const NO_RELEASE = {
  dataRelease: 'Data Release 0.0',
  version: { major: 0, minor: 0, releaseDate: '1970-01-01' },
}

/** The key order is what a client's test compares (contract 4.2); query parameters are ignored. */
function statusBody({ commit, tag }: StatusFacts, release: ReleaseFacts | undefined) {
  const { dataRelease, version } = release ?? NO_RELEASE
  const { major, minor, releaseDate } = version
  return {
    commit,
    data_release: dataRelease,
    data_release_version: { major, minor, release_date: releaseDate },
    status: 'OK',
    tag,
    version: 1,
  }
}
