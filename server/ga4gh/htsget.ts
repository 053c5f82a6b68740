import { z } from '@hono/zod-openapi'
import {
  type Commons,
  FORMATS,
  type HtsgetKind,
  type HtsgetRequest,
  type ReadableHts,
} from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { releaseHeader } from '../commons/release-answer.ts'
import type { Config } from '../config.ts'
import { type Call, defineEndpoint, type Endpoint, MAX_PARAMETER_BYTES } from '../http/endpoint.ts'
import { originOf } from '../http/origin.ts'
import { json, reply } from '../http/reply.ts'
import { readAliases } from './aliases.ts'
import { contentType, ticketShape, ticketText } from './htsget-answer.ts'
import { blocksQuery, readBlocksQuery } from './htsget-blocks.ts'
import { bodyOf, queryOf, readBody, readQuery } from './htsget-parameters.ts'
import { serviceInfo, serviceInfoShape } from './service-info.ts'
import type { ListedService } from './services.ts'

export interface HtsgetEngine {
  readonly htsget: Pick<Commons['htsget'], 'open' | 'held'>
}

interface HtsgetContext {
  readonly config: Pick<Config, 'host' | 'port' | 'trustedProxies' | 'htsgetIds'>
  /** Version of the program. */
  readonly tag: string
}

const serviceOf = (kind: HtsgetKind): ListedService =>
  Object.freeze({
    path: `/${kind}`,
    name: `htsget-${kind}`,
    description: `Tickets for ${kind}: regions of files, and files as a whole`,
    artifact: 'htsget',
    specification: '1.3.0',
  })

/** The htsget services, keyed by kind, as the service registry lists them. */
export const HTSGET_SERVICES = Object.freeze({
  reads: serviceOf('reads'),
  variants: serviceOf('variants'),
})

/** Half the lifetime of a link. A response from a cache then remains usable for as long again. */
const MAX_AGE_SECONDS = 450

const responses = {
  200: {
    description: 'Addresses of parts, which together are a complete file',
    content: { 'application/vnd.ga4gh.htsget.v1.3.0+json': ticketShape },
  },
  400: {
    description: 'The request is invalid, or the file has another format or cannot be sliced.',
  },
  401: { description: 'A token is required, or is not valid.' },
  403: { description: 'The token has no right to read the file.' },
  404: { description: 'The file does not exist, or has no such reference.' },
  413: { description: 'The body is too large.' },
}

/** Endpoints of htsget 1.3 for one kind of files (ga4gh.md 3). */
export function htsgetEndpoints(
  engine: HtsgetEngine,
  kind: HtsgetKind,
  context: HtsgetContext,
): readonly Endpoint[] {
  const { config } = context
  const ids = readAliases(config.htsgetIds)
  const common = {
    path: `/${kind}/{id}`,
    tags: ['ga4gh'],
    pathParameters: z.object({ id: z.string() }),
    responses,
    security: [{}, { token: [] }],
  } as const
  const answer = async (
    call: Call<{ readonly id: string }, unknown>,
    read: () => Promise<HtsgetRequest>,
  ) => {
    const { path, token, headers, signal, turns } = call
    // Access is checked before the request is parsed, so that a client without access cannot make the server
    // parse a large request.
    const files = await opened(ids.get(path.id) ?? [path.id], (id) =>
      engine.htsget.open(id, kind, token),
    )
    const request = await read()
    const file = files.find(({ format }) => format === request.format) ?? files[0]
    // Yields before the next step, which sorts all regions at once.
    await turns.pause()
    const ticket = await file.ticket(request, { signal })
    const client = { origin: originOf(headers, config), isPage: headers.has('origin'), kind }
    const text = await ticketText(ticket, client, turns)
    await turns.pause()
    return reply(200, contentType(headers.get('accept')), text, {
      'Cache-Control': `private, no-transform, max-age=${MAX_AGE_SECONDS}`,
      ...releaseHeader(file.releaseId),
    })
  }
  return Object.freeze([
    defineEndpoint({
      ...common,
      methods: ['GET'],
      summary: `A ticket for the ${kind} of a region`,
      description:
        'htsget 1.3. The id is the id of a file, its name if that is unique, or an alias from ' +
        'the settings. Without a region, the ticket is for the whole file.',
      parameters: queryOf[kind],
      handle: (call) => answer(call, async () => readQuery(call.query(), kind)),
    }),
    defineEndpoint({
      ...common,
      methods: ['POST'],
      summary: `A ticket for the ${kind} of several regions`,
      description: 'Like GET, with a JSON body that can contain many regions.',
      parameters: z.looseObject({}),
      content: { 'application/json': bodyOf[kind] },
      handle: (call) =>
        answer(call, async () => {
          refuseQuery(call.query())
          return readBody(await call.body(MAX_PARAMETER_BYTES), kind, call.turns)
        }),
    }),
    blocksEndpoint(engine, kind),
    infoEndpoint(kind, context),
  ])
}

/** Endpoint for the blocks that a ticket refers to if its regions are too many to embed (ADR 101). */
function blocksEndpoint({ htsget }: HtsgetEngine, kind: HtsgetKind): Endpoint {
  return defineEndpoint({
    methods: ['GET'],
    path: `/${kind}/{id}/blocks`,
    summary: `The blocks of ${kind} of regions, at an address from a ticket`,
    description:
      'A part of the data of a ticket, without header and end marker. Send the signed link of ' +
      'the ticket as `X-Ticket` instead of a token.',
    tags: ['ga4gh'],
    pathParameters: z.object({ id: z.string() }),
    parameters: blocksQuery,
    single: ['floor'],
    responses: {
      200: { description: 'The blocks', content: { 'application/octet-stream': z.unknown() } },
      400: { description: 'A region is malformed, or the file cannot be sliced.' },
      401: { description: 'A token or signed link is required, or is not valid.' },
      403: { description: 'The token has no right to read the file.' },
      404: { description: 'The file does not exist, or has no such reference.' },
      412: { description: 'The bytes of the file have changed since.' },
    },
    security: [{}, { token: [] }],
    async handle({ path, token, headers, signal, query, stream }) {
      const ticket = headers.get('x-ticket')?.trim()
      const file = await (ticket === undefined
        ? htsget.open(path.id, kind, token)
        : htsget.held(path.id, kind, ticket))
      const bytes = await file.blocks(readBlocksQuery(query()), { signal })
      return stream(bytes, {
        status: 200,
        headers: {
          'Content-Type': 'application/octet-stream',
          'Cache-Control': 'private, no-transform',
          ...releaseHeader(file.releaseId),
        },
      })
    },
  })
}

/** Opens the files of the requested kind. There must be at least one, and the caller must have access to each. */
async function opened(
  ids: readonly string[],
  open: (id: string) => Promise<ReadableHts>,
): Promise<readonly [ReadableHts, ...ReadableHts[]]> {
  const found: ReadableHts[] = []
  let last: unknown
  for (const id of ids) {
    try {
      found.push(await open(id))
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'not_found') throw error
      last = error
    }
  }
  const [first, ...others] = found
  if (first) return [first, ...others]
  throw last
}

/**
 * Rejects query parameters of a POST.
 * @throws EngineError `bad_input` if there are any
 */
function refuseQuery(query: Readonly<Record<string, unknown>>): void {
  const [name] = Object.keys(query)
  if (name === undefined) return
  const message = `${name.slice(0, 80)} is given in the address; with POST, give it in the body`
  throw new EngineError('bad_input', message, { at: 'query' })
}

function infoEndpoint(kind: HtsgetKind, { config, tag }: HtsgetContext): Endpoint {
  const htsget = {
    datatype: kind,
    formats: FORMATS[kind],
    fieldsParameterEffective: false,
    tagsParametersEffective: false,
  }
  const shape = serviceInfoShape.extend({
    htsget: z.object({
      datatype: z.string(),
      formats: z.array(z.string()),
      fieldsParameterEffective: z.boolean(),
      tagsParametersEffective: z.boolean(),
    }),
  })
  return defineEndpoint({
    methods: ['GET'],
    path: `/${kind}/service-info`,
    summary: `Properties of the service of ${kind}`,
    tags: ['ga4gh'],
    responses: { 200: { description: 'The properties', content: { 'application/json': shape } } },
    handle: ({ headers }) =>
      json(200, {
        ...serviceInfo(HTSGET_SERVICES[kind], { origin: originOf(headers, config), tag }),
        htsget,
      }),
  })
}
