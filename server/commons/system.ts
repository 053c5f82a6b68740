import { z } from '@hono/zod-openapi'
import type { Commons, ReleaseFacts, ReleaseHealth } from '../../engine/commons/index.ts'
import type { Dependencies } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import type { Metrics } from '../http/metrics.ts'
import { prepare } from '../http/prepared.ts'
import { json, reply } from '../http/reply.ts'

/** Identifies the running version. */
export interface StatusFacts {
  readonly commit: string
  readonly tag: string
}

export interface SystemEngine {
  dependencies(): Promise<Dependencies>
  readonly commons: Pick<Commons, 'releaseFacts' | 'releaseHealth'>
}

interface SystemSources {
  readonly status: StatusFacts
  /** Returns the release that is served now, if any. */
  readonly release: () => ReleaseFacts | undefined
  /** Returns whether that is the release which should be served. */
  readonly health: () => ReleaseHealth
  readonly metrics: Metrics
  /** Returns false while the server stops. */
  readonly ready: () => boolean
  /** Returns whether all processes of the service are running. Absent if this is the only process. */
  readonly isComplete?: (() => boolean) | undefined
  readonly dependencies: () => Promise<Dependencies>
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
  problems: z
    .array(z.string())
    .optional()
    .describe('Damaged parts of the data release; absent if none is known.'),
  status: z
    .enum(['OK', 'DAMAGED'])
    .describe('`DAMAGED` while the data release that should be served cannot be opened.'),
  tag: z.string(),
  version: z.int(),
})

const stateSchema = z.object({ status: z.string() })

const readySchema = stateSchema.extend({
  reason: z
    .string()
    .optional()
    .describe('For `behind`: the parts of the release that are still missing.'),
})

const availability = z
  .enum(['available', 'away', 'full'])
  .describe('away: cannot be reached, refuses or does not answer; full: has no room')

const dependenciesSchema = z.object({
  status: z.enum(['ok', 'impaired']),
  dependencies: z.object({
    database: z.object({ kind: z.enum(['embedded', 'postgresql']), state: availability }),
    object_storage: z.object({ state: availability }).optional(),
    disk: z.object({ state: availability, free_bytes: z.int(), total_bytes: z.int() }),
  }),
})

/** Endpoints about the service itself (data-commons-service.md 4.1, data-commons.md 4.2). */
export function systemEndpoints(sources: SystemSources): readonly Endpoint[] {
  const { status, release, health, metrics, ready, isComplete = () => true } = sources
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
      handle: () => json(200, statusBody(status, release(), health())),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/health/live',
      summary: 'Whether the process answers at all',
      tags: ['system'],
      responses: {
        200: { description: 'The process answers', content: { 'application/json': stateSchema } },
      },
      handle: () => json(200, { status: 'live' }),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/health/ready',
      summary: 'Whether the service accepts new requests',
      tags: ['system'],
      responses: {
        200: {
          description: 'The service accepts requests',
          content: { 'application/json': stateSchema },
        },
        503: {
          description:
            'The service is `stopping`, its release is `damaged` or `warming`, it has not opened ' +
            'the release yet to which all nodes were switched (`behind`), or fewer than half of ' +
            'its processes have started (`starting`)',
          content: { 'application/json': readySchema },
        },
      },
      handle: () => {
        const { state, reason } = health()
        const status = ready() ? (isComplete() ? state : 'starting') : 'stopping'
        const because = status === 'behind' ? { reason } : {}
        return json(status === 'ready' ? 200 : 503, { status, ...because })
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/health/dependencies',
      summary: 'State of the services that this one depends on',
      description:
        'Checked every few seconds at most. The status is 200 even if a dependency is unavailable: requests that do not need it continue.',
      tags: ['system'],
      responses: {
        200: {
          description: 'The dependencies',
          content: { 'application/json': dependenciesSchema },
        },
      },
      handle: async () => json(200, dependenciesBody(await sources.dependencies())),
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

function dependenciesBody({
  database,
  objectStorage,
  disk,
}: Dependencies): z.infer<typeof dependenciesSchema> {
  const { state, freeBytes, totalBytes } = disk
  const states = [database.state, objectStorage?.state ?? 'available', state]
  return {
    status: states.every((one) => one === 'available') ? 'ok' : 'impaired',
    dependencies: {
      database,
      ...(objectStorage && { object_storage: objectStorage }),
      disk: { state, free_bytes: freeBytes, total_bytes: totalBytes },
    },
  }
}

/** Status of a service that has no release. */
const NO_RELEASE = {
  dataRelease: 'Data Release 0.0',
  version: { major: 0, minor: 0, releaseDate: '1970-01-01' },
}

/** Builds the status. Clients compare its key order (data-commons.md 4.2); query parameters are ignored. */
function statusBody(
  { commit, tag }: StatusFacts,
  release: ReleaseFacts | undefined,
  { state, problems }: ReleaseHealth,
) {
  const { dataRelease, version } = release ?? NO_RELEASE
  const { major, minor, releaseDate } = version
  return {
    commit,
    data_release: dataRelease,
    data_release_version: { major, minor, release_date: releaseDate },
    ...(problems.length > 0 && { problems }),
    status: state === 'damaged' ? 'DAMAGED' : 'OK',
    tag,
    version: 1,
  }
}
