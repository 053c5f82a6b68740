import { z } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { EngineError, type ErrorCode } from '../../engine/shared/index.ts'
import { fakeEngine, keptLog } from '../../test/commons/contract/fake-engine.ts'
import { readConfig } from '../config.ts'
import { type ApiModule, composeModules } from './compose.ts'
import { defineEndpoint } from './endpoint.ts'
import type { FailureTable } from './failure.ts'
import { Inflow } from './inflow.ts'
import { createMetrics } from './metrics.ts'
import { json } from './reply.ts'

const codes: readonly (ErrorCode | 'internal')[] = [
  'bad_input',
  'bad_region',
  'not_found',
  'already_exists',
  'conflict',
  'forbidden',
  'unauthenticated',
  'too_large',
  'too_many',
  'method_not_allowed',
  'not_supported',
  'range_not_satisfiable',
  'busy',
  'rate_limited',
  'no_index',
  'corrupt_source',
  'unavailable',
  'internal',
]

/** A table that answers everything with one status and names itself. */
function table(name: string, status: number): FailureTable {
  return {
    statuses: Object.fromEntries(codes.map((code) => [code, status])) as FailureTable['statuses'],
    body: ({ path, message }) => ({ name, path, message }),
    schema: z.object({ name: z.string() }),
  }
}

const echo = (name: string, path: string) =>
  defineEndpoint({
    methods: ['GET', 'POST'],
    path,
    summary: name,
    tags: [],
    pathParameters: z.object({ id: z.string().optional() }),
    parameters: z.object({ size: z.coerce.number().int().optional() }),
    responses: {},
    handle: async ({ path: { id }, input }) => json(200, { name, id, ...(await input()) }),
  })

const fails = defineEndpoint({
  methods: ['GET'],
  path: '/other/fails',
  summary: 'Fails',
  tags: [],
  responses: {},
  handle: () => {
    throw new EngineError('conflict', 'already there')
  },
})

/** The owners do not include `list` and `nothing`. */
const owners = [
  defineEndpoint({
    methods: ['PUT'],
    path: '/owners/{owner}/{id}',
    summary: 'One of an owner',
    tags: [],
    pathParameters: z.object({ owner: z.string(), id: z.string() }),
    reserved: { owner: new Set(['list', 'nothing']) },
    responses: {},
    handle: ({ path }) => json(200, path),
  }),
  { ...echo('list', '/owners/list/{id}'), methods: ['GET'] as const },
]

const module = (
  prefix: string,
  name: string,
  status: number,
  endpoints: ApiModule['endpoints'],
): ApiModule => ({
  prefix,
  endpoints,
  failures: table(name, status),
  securitySchemes: {},
})

function compose() {
  const config = readConfig({ flags: { logLevel: 'silent' } })
  const modules = [
    module('/', 'first', 404, [
      echo('one', '/files/{id}'),
      echo('versions', '/files/versions'),
      ...owners,
    ]),
    module('/other', 'second', 409, [fails]),
  ]
  const metrics = createMetrics(fakeEngine().engine)
  const inflow = new Inflow({ maxBytes: config.heldBodyBytes })
  const { log } = keptLog(config)
  return composeModules(modules, { config, log, metrics, inflow, ready: () => true })
}

const bodyOf = async (response: Response) => JSON.parse(await response.text())

test('each module fails in its own words, on unknown paths below its prefix too', async () => {
  const app = compose()
  const known = await app.request('/other/fails')
  expect(known.status).toBe(409)
  expect(await bodyOf(known)).toEqual({
    name: 'second',
    path: '/other/fails',
    message: 'already there',
  })
  expect(await bodyOf(await app.request('/other/nothing'))).toMatchObject({ name: 'second' })
  expect(await bodyOf(await app.request('/nothing'))).toMatchObject({ name: 'first' })
})

test('a literal path wins over a parameter, however they are listed', async () => {
  const app = compose()
  expect(await bodyOf(await app.request('/files/versions'))).toEqual({ name: 'versions' })
  expect(await bodyOf(await app.request('/files/a%2Fb'))).toEqual({ name: 'one', id: 'a/b' })
})

test('a reserved word is no name: its path is another endpoint, or none', async () => {
  const app = compose()
  const ask = async (method: string, path: string) => {
    const { status, headers } = await app.request(path, { method })
    return [status, headers.get('allow')]
  }
  // This module answers every error with 404, so further requests tell the errors apart.
  expect(await ask('PUT', '/owners/some/x')).toEqual([200, null])
  expect(await ask('PUT', '/owners/list/x')).toEqual([404, 'GET, HEAD, OPTIONS'])
  expect(await ask('GET', '/owners/some/x')).toEqual([404, 'OPTIONS, PUT'])
  expect(await ask('PUT', '/owners/nothing/x')).toEqual([404, null])
})

test('the body wins over the query where both have a name', async () => {
  const app = compose()
  const ask = async (body: string) =>
    (await bodyOf(await app.request('/files/x?size=3', { method: 'POST', body }))).size
  expect(await ask('{}')).toBe(3)
  expect(await ask('{"size":"5"}')).toBe(5)
})
