import { z } from '@hono/zod-openapi'
import {
  type Commons,
  type DrsObject,
  type DrsResult,
  MAX_DRS_OBJECTS,
} from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import type { Config } from '../config.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { originOf } from '../http/origin.ts'
import { json, longJson } from '../http/reply.ts'
import {
  type Address,
  accessUrlShape,
  authorizationsShape,
  drsAuthorizations,
  drsObject,
  drsObjectShape,
  HTTPS_ACCESS,
} from './drs-answers.ts'
import { drsFailures } from './drs-errors.ts'
import { presignedUrl } from './presigned-url.ts'
import { serviceInfo, serviceInfoShape } from './service-info.ts'
import type { ListedService } from './services.ts'

export interface DrsEngine {
  readonly drs: Pick<Commons['drs'], 'object' | 'objects' | 'link' | 'byChecksum' | 'facts'>
}

interface DrsSettings {
  readonly config: Pick<Config, 'host' | 'port' | 'trustedProxies'>
  /** Version of the program. */
  readonly tag: string
}

export const DRS_BASE = '/ga4gh/drs/v1'

export const DRS_SERVICE: ListedService = Object.freeze({
  path: DRS_BASE,
  name: 'drs',
  description: 'Files of the data commons and bundles of them, as DRS objects',
  artifact: 'drs',
  specification: '1.5.0',
})

type AnyCall = Call<unknown, unknown>

// Passports are accepted but ignored, because rights depend only on the token.
const passports = z
  .unknown()
  .optional()
  .openapi({
    description: 'Accepted and ignored, because the token determines the rights.',
    type: 'array',
    items: { type: 'string' },
  })
const expand = z
  .unknown()
  .optional()
  .openapi({
    description: 'Accepted without effect: no bundle contains another bundle.',
    type: 'boolean',
    param: { name: 'expand', in: 'query' },
  })

const listOf = <Shape extends z.ZodType>(shape: Shape, most = MAX_DRS_OBJECTS) =>
  z.array(shape).min(1).max(most)

const objectParameters = z.object({ expand, passports })
const bulkParameters = z.object({
  // The engine limits the number, so that the error has the status of the interface.
  bulk_object_ids: z.array(z.string()).min(1),
  expand,
  passports,
})
const bulkAccessParameters = z.object({
  bulk_object_access_ids: z
    .array(z.object({ bulk_object_id: z.string(), bulk_access_ids: listOf(z.string(), 10) }))
    .min(1),
  passports,
})

const idParameter = z.object({ object_id: z.string() })
const TAGS = ['ga4gh']
const OPTIONAL_TOKEN = [{}, { token: [] }]

/** Endpoints of the GA4GH Data Repository Service, version 1.5 (docs/interfaces/ga4gh.md). */
export function drsEndpoints(engine: DrsEngine, settings: DrsSettings): readonly Endpoint[] {
  const serving = { engine, settings }
  return Object.freeze([
    serviceInfoEndpoint(serving),
    ...objectEndpoints(serving),
    ...accessEndpoints(serving),
  ])
}

interface DrsServing {
  readonly engine: DrsEngine
  readonly settings: DrsSettings
}

function serviceInfoEndpoint({ engine, settings }: DrsServing): Endpoint {
  return defineEndpoint({
    methods: ['GET'],
    path: `${DRS_BASE}/service-info`,
    summary: 'Properties of the Data Repository Service',
    tags: TAGS,
    responses: {
      200: { description: 'The properties', content: { 'application/json': serviceInfoShape } },
    },
    async handle({ headers }) {
      const origin = originOf(headers, settings.config)
      const { objects: objectCount, bytes: totalObjectSize } = await engine.drs.facts()
      const counts = { objectCount, totalObjectSize }
      return json(200, {
        ...serviceInfo(DRS_SERVICE, { origin, tag: settings.tag }),
        // Versions of the specification have this member in two different places.
        maxBulkRequestLength: MAX_DRS_OBJECTS,
        drs: { maxBulkRequestLength: MAX_DRS_OBJECTS, ...counts, stats: counts },
      })
    },
  })
}

function objectEndpoints({ engine, settings }: DrsServing): readonly Endpoint[] {
  const shown = (call: AnyCall, object: DrsObject) => drsObject(object, addressOf(call, settings))
  const shownAll = async (call: AnyCall, objects: readonly DrsResult[]) => {
    const address = addressOf(call, settings)
    const all: object[] = []
    for (const object of objects) {
      await call.turns.pause()
      if (!(object instanceof EngineError)) all.push(drsObject(object, address))
    }
    return all
  }
  const responses = {
    200: { description: 'The object', content: { 'application/json': drsObjectShape } },
    404: { description: 'No object has the id, or it was superseded.' },
    413: { description: 'A bundle of too many files.' },
  }
  return [
    defineEndpoint({
      methods: ['GET', 'POST'],
      path: `${DRS_BASE}/objects/{object_id}`,
      summary: 'An object: a file, or a bundle of files',
      description:
        'Ids are those of files; of cases, which are bundles of their files; `<file_id>.with-index`, ' +
        'a file and its index; and `<project_id>.<data_type>` with `_` for blanks.',
      tags: TAGS,
      compress: true,
      pathParameters: idParameter,
      parameters: objectParameters,
      responses,
      security: OPTIONAL_TOKEN,
      async handle(call) {
        await call.input()
        const { token, signal } = call
        const object = await engine.drs.object(call.path.object_id, { token, signal })
        await call.turns.pause()
        return longJson(call.turns, 200, shown(call, object), NOT_SHARED)
      },
    }),
    defineEndpoint({
      methods: ['OPTIONS'],
      path: `${DRS_BASE}/objects/{object_id}`,
      summary: 'Ways to authorise requests for the bytes of an object',
      tags: TAGS,
      pathParameters: idParameter,
      responses: {
        200: {
          description: 'The supported ways',
          content: { 'application/json': authorizationsShape },
        },
        204: { description: 'The object is a bundle: request this for its contents, one by one.' },
      },
      security: OPTIONAL_TOKEN,
      async handle({ path, token, signal }) {
        const object = await engine.drs.object(path.object_id, { token, signal })
        if (object.kind === 'bundle') return new Response(null, { status: 204 })
        return json(200, drsAuthorizations(object), NOT_SHARED)
      },
    }),
    defineEndpoint({
      methods: ['POST'],
      path: `${DRS_BASE}/objects`,
      summary: 'Several objects',
      tags: TAGS,
      compress: true,
      parameters: bulkParameters,
      responses: {
        200: {
          description: 'The objects that exist, and the ids of the others by status',
          content: { 'application/json': z.object({ ...bulkShape, ...resolvedObjects }) },
        },
        413: { description: `More than ${MAX_DRS_OBJECTS} ids.` },
      },
      security: OPTIONAL_TOKEN,
      async handle(call) {
        const { bulk_object_ids: ids } = await call.input()
        const { token, signal } = call
        const results = await engine.drs.objects(ids, { token, signal })
        const resolved = await shownAll(call, [...results.values()])
        return longJson(
          call.turns,
          200,
          { ...summaryOf(results), resolved_drs_object: resolved },
          NOT_SHARED,
        )
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: `${DRS_BASE}/objects/checksum/{checksum}`,
      summary: 'The objects that have a checksum',
      description: 'An MD5, or the SHA-256 of imported bytes. An extension of the standard.',
      tags: TAGS,
      compress: true,
      pathParameters: z.object({ checksum: z.string() }),
      responses: {
        200: {
          description: 'The objects, or an empty list',
          content: { 'application/json': z.object(resolvedObjects) },
        },
      },
      security: OPTIONAL_TOKEN,
      async handle(call) {
        const { token, signal } = call
        const found = await engine.drs.byChecksum(call.path.checksum, { token, signal })
        return longJson(
          call.turns,
          200,
          { resolved_drs_object: await shownAll(call, found) },
          NOT_SHARED,
        )
      },
    }),
  ]
}

function accessEndpoints({ engine, settings }: DrsServing): readonly Endpoint[] {
  return [
    defineEndpoint({
      methods: ['GET', 'POST'],
      path: `${DRS_BASE}/objects/{object_id}/access/{access_id}`,
      summary: 'The address of the bytes of an object',
      tags: TAGS,
      pathParameters: idParameter.extend({ access_id: z.string() }),
      parameters: z.object({ passports }),
      responses: {
        200: { description: 'An address', content: { 'application/json': accessUrlShape } },
        401: { description: 'A token is required, or is not valid.' },
        403: { description: 'The token has no right to read the object.' },
        404: { description: 'No object has the id, or its bytes are not here.' },
      },
      security: OPTIONAL_TOKEN,
      async handle(call) {
        await call.input()
        const { object_id: id, access_id: accessId } = call.path
        return json(200, await accessUrl(call, { engine, settings }, id, accessId), NOT_SHARED)
      },
    }),
    defineEndpoint({
      methods: ['POST'],
      path: `${DRS_BASE}/objects/access`,
      summary: 'The addresses of the bytes of several objects',
      tags: TAGS,
      parameters: bulkAccessParameters,
      responses: {
        200: {
          description:
            'The addresses of the available objects, and the ids of the others by status',
          content: {
            'application/json': z.object({
              ...bulkShape,
              resolved_drs_object_access_urls: z.array(
                accessUrlShape.extend({ drs_object_id: z.string(), drs_access_id: z.string() }),
              ),
            }),
          },
        },
        413: { description: `More than ${MAX_DRS_OBJECTS} objects.` },
      },
      security: OPTIONAL_TOKEN,
      async handle(call) {
        const { bulk_object_access_ids: requested } = await call.input()
        requireFewObjects(requested.length)
        const results = new Map<string, readonly object[] | EngineError>()
        for (const [id, same] of Map.groupBy(requested, (one) => one.bulk_object_id)) {
          // Files in the catalogue's cache are found without awaiting anything, so the loop must yield.
          await call.turns.pause()
          call.signal.throwIfAborted()
          const accessIds = same.flatMap((one) => one.bulk_access_ids)
          results.set(id, await accessUrls(call, { engine, settings }, id, accessIds))
        }
        const resolved = [...results.values()].flatMap((one) =>
          one instanceof EngineError ? [] : one,
        )
        const body = { ...summaryOf(results), resolved_drs_object_access_urls: resolved }
        return longJson(call.turns, 200, body, NOT_SHARED)
      },
    }),
  ]
}

/** The content may depend on the token. */
const NOT_SHARED = Object.freeze({ 'Cache-Control': 'private, no-cache' })

const addressOf = ({ headers, prefix }: AnyCall, { config }: DrsSettings): Address => ({
  origin: originOf(headers, config),
  prefix,
})

const resolvedObjects = { resolved_drs_object: z.array(drsObjectShape) }

const bulkShape = {
  summary: z.object({ requested: z.int(), resolved: z.int(), unresolved: z.int() }),
  unresolved_drs_objects: z.array(
    z.object({ error_code: z.int(), object_ids: z.array(z.string()) }),
  ),
}

/** Counts results, and groups the failed ids by the status that each would have alone. */
function summaryOf(results: ReadonlyMap<string, unknown>) {
  const failed = [...results].flatMap(([id, result]) =>
    result instanceof EngineError ? [{ id, status: drsFailures.statuses[result.code] }] : [],
  )
  const requested = results.size
  const unresolved = failed.length
  return {
    summary: { requested, resolved: requested - unresolved, unresolved },
    unresolved_drs_objects: [...Map.groupBy(failed, ({ status }) => status)].map(
      ([status, ids]) => ({ error_code: status, object_ids: ids.map(({ id }) => id) }),
    ),
  }
}

async function accessUrl(
  call: AnyCall,
  { engine, settings }: DrsServing,
  id: string,
  accessId: string,
): Promise<z.output<typeof accessUrlShape>> {
  if (accessId !== HTTPS_ACCESS) {
    const message = `object "${id.slice(0, 80)}" has no access "${accessId.slice(0, 80)}"; use "${HTTPS_ACCESS}"`
    throw new EngineError('not_found', message)
  }
  const { fileId, ticket, presigned } = await engine.drs.link(id, call.token)
  if (presigned) {
    const given = presignedUrl(presigned, call.headers.has('origin'))
    const lines = Object.entries(given.headers).map(([name, value]) => `${name}: ${value}`)
    return { url: given.url, ...(lines.length > 0 && { headers: lines }) }
  }
  const { origin, prefix } = addressOf(call, settings)
  const url = `${origin}${prefix}/data/${fileId}`
  return ticket === undefined ? { url } : { url, headers: [`X-Ticket: ${ticket}`] }
}

/**
 * Returns the access URLs of an object, or the error for it.
 * @throws errors that do not concern a single object
 */
async function accessUrls(
  call: AnyCall,
  serving: DrsServing,
  id: string,
  accessIds: readonly string[],
): Promise<readonly object[] | EngineError> {
  try {
    const urls: object[] = []
    for (const accessId of new Set(accessIds)) {
      const url = await accessUrl(call, serving, id, accessId)
      urls.push({ drs_object_id: id, drs_access_id: accessId, ...url })
    }
    return urls
  } catch (error) {
    const codes: readonly string[] = ['not_found', 'unauthenticated', 'forbidden']
    if (error instanceof EngineError && codes.includes(error.code)) return error
    throw error
  }
}

function requireFewObjects(count: number): void {
  if (count <= MAX_DRS_OBJECTS) return
  const message = `${count} objects are given; request at most ${MAX_DRS_OBJECTS} at a time`
  throw new EngineError('too_large', message, { at: 'bulk_object_access_ids' })
}
