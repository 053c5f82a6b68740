import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { OpenAPIHono, type z } from '@hono/zod-openapi'
import { TrieRouter } from 'hono/router/trie-router'
import { EngineError } from '../../engine/shared/index.ts'
import { descriptorShortage } from '../../engine/shared/internal.ts'
import { preflight } from './cors.ts'
import { registerEndpoint } from './describe.ts'
import type { Endpoint } from './endpoint.ts'
import {
  type AppContext,
  type AppEnv,
  type CompleteInput,
  exchangeOf,
  outgoingOf,
} from './exchange.ts'
import { answerFailure, type FailureTable } from './failure.ts'
import type { NeverIgnored } from './given-parameters.ts'
import { requireHost } from './host.ts'
import { limitClients } from './limits.ts'
import type { Log } from './log.ts'
import { nearPath } from './near-path.ts'
import { logFailure, type Observers, observe } from './observe.ts'
import { routingPath } from './path.ts'
import { listedPreferences } from './preference.ts'
import { Recorder, type RecordingEngine } from './recorder.ts'

export type App = OpenAPIHono<AppEnv>

/** An interface: its endpoints and its error format. */
export interface ApiModule {
  /** Unknown paths below this prefix fail in this module's error format. The longest matching prefix counts. */
  readonly prefix: string
  readonly endpoints: readonly Endpoint[]
  readonly failures: FailureTable
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  /** Parameters with one description for all endpoints of the module, keyed by name. */
  readonly parameters?: Readonly<Record<string, z.ZodType>>
  /** Completes the parameters before an endpoint receives them. By default, they are not changed. */
  readonly completeInput?: CompleteInput
  /** Parameters that change the meaning of a response. An endpoint must either support or reject them. */
  readonly neverIgnored?: NeverIgnored
}

/** Services that all modules use. */
interface Surroundings extends Omit<Observers, 'failuresFor'> {
  /** Absent if no record is kept. */
  readonly recording?: RecordingEngine | undefined
  /** Builds a page for a browser at an unknown path, with the message of the error. */
  readonly notFoundPage?: (message: string) => Promise<Response>
}

interface SecurityScheme {
  readonly type: 'apiKey'
  readonly in: 'header'
  readonly name: string
  readonly description: string
}

/** Combines modules into an application: routes, API document, errors, log, metrics. One has the prefix `/`. */
export function composeModules(
  modules: readonly ApiModule[],
  { notFoundPage, recording, ...observers }: Surroundings,
): App {
  const app: App = new OpenAPIHono<AppEnv>({ getPath: routingPath })
  const failuresFor = (path: string) => moduleOf(modules, path).failures
  app.use('*', observe({ ...observers, failuresFor }), requireHost, limitClients(observers))
  const recorder = recording && new Recorder(recording, observers.config, observers.log)
  const methodsOf = mount(app, modules, recorder)
  const patterns = modules.flatMap(({ endpoints }) => endpoints.map(({ path }) => path))
  app.notFound(async (c) => {
    const allow = methodsOf(c.req.path)
    if (allow.length > 0 && c.req.method === 'OPTIONS') {
      const { privateNetwork } = observers.config
      return preflight(allow, { path: c.req.path, headers: c.req.raw.headers, privateNetwork })
    }
    const failure = noRoute(c, allow, patterns)
    if (allow.length === 0 && notFoundPage && namesHtml(c)) return notFoundPage(failure.message)
    const response = fail(c, failure)
    if (allow.length > 0) response.headers.set('Allow', allow.join(', '))
    return response
  })
  app.onError((error, c) => answerThrown(c, observers.log, error))
  return app
}

function moduleOf(modules: readonly ApiModule[], path: string): ApiModule {
  const owners = modules.filter(({ prefix }) =>
    `${path}/`.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`),
  )
  return owners.reduce((best, module) =>
    module.prefix.length > best.prefix.length ? module : best,
  )
}

/** Registers all endpoints with the router and the API document. Returns a function for the methods of a path. */
function mount(
  app: App,
  modules: readonly ApiModule[],
  recorder: Recorder | undefined,
): (path: string) => string[] {
  // Endpoints by path pattern, searched only if no route matched. A catch-all route per path would be simpler,
  // but the one for `/files/{id}` would then reject methods that `/files/versions` has.
  const known = new TrieRouter<Endpoint>()
  const paths = new Set(modules.flatMap(({ endpoints }) => endpoints.map(({ path }) => path)))
  for (const {
    endpoints,
    failures,
    securitySchemes,
    parameters = {},
    neverIgnored = {},
    completeInput,
  } of modules) {
    for (const [name, scheme] of Object.entries(securitySchemes)) {
      app.openAPIRegistry.registerComponent('securitySchemes', name, { ...scheme })
    }
    for (const [name, schema] of Object.entries(parameters)) {
      app.openAPIRegistry.registerParameter(name, schema)
    }
    for (const endpoint of endpoints.toSorted(bySpecificity)) {
      const pattern = endpoint.path.replace(/\{(.+?)\}/g, ':$1')
      app.on([...endpoint.methods], pattern, async (c) => {
        // A browser's preflight request is not for the endpoint.
        if (isPreflight(c)) return c.notFound()
        // A fixed path such as `_mapping` is never taken as an id, whatever the method.
        const isReserved = c.req.path !== endpoint.path && paths.has(c.req.path)
        if (isReserved && !endpoint.takesReserved) return c.notFound()
        if (standsElsewhere(endpoint, c.req.param())) return c.notFound()
        const exchange = exchangeOf(c)
        exchange.route = endpoint.path
        exchange.failures = failures
        exchange.neverIgnored = neverIgnored
        if (completeInput) exchange.completeInput = completeInput
        try {
          return await (recorder ? recorder.run(c, () => answered(c, endpoint)) : endpoint.run(c))
        } catch (thrown) {
          // The adapter aborts with a string, which Hono's error handler would not receive.
          throw thrown instanceof Error ? thrown : new Error('request ended', { cause: thrown })
        }
      })
      known.add('ALL', pattern, endpoint)
      registerEndpoint(app, endpoint, failures.schema)
    }
  }
  return (path) => {
    const matches = known
      .match('ALL', path)[0]
      .filter(([endpoint, names]) => !standsElsewhere(endpoint, names as Record<string, string>))
      .map(([endpoint]) => endpoint)
    const owners = paths.has(path) ? matches.filter((endpoint) => endpoint.path === path) : matches
    const methods = new Set<string>(owners.flatMap((endpoint) => endpoint.methods))
    if (methods.size === 0) return []
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods.add('OPTIONS')].sort()
  }
}

/** Runs an endpoint, and records its answer unless it was streamed, which stream.ts has recorded. */
async function answered(c: AppContext, endpoint: Endpoint): Promise<Response> {
  const response = await endpoint.run(c)
  if (response === RESPONSE_ALREADY_SENT) return response
  const length = response.headers.get('content-length')
  const bytes = length === null ? undefined : Number(length)
  try {
    await exchangeOf(c).record(response.status, bytes)
    return response
  } catch (error) {
    await response.body?.cancel()
    throw error
  }
}

/** Returns whether a path parameter has a reserved word. If so, the path belongs to another endpoint. */
function standsElsewhere({ reserved }: Endpoint, names: Readonly<Record<string, string>>): boolean {
  if (reserved === undefined) return false
  return Object.entries(reserved).some(([name, words]) => words.has(names[name] ?? ''))
}

/** Sorts endpoints so that literal segments come before parameters, because the router takes the first match. */
function bySpecificity(a: Endpoint, b: Endpoint): number {
  const key = ({ path }: Endpoint) => path.replaceAll('{', '\uffff')
  return key(a) < key(b) ? -1 : Number(key(a) > key(b))
}

const isPreflight = ({ req }: AppContext) =>
  req.method === 'OPTIONS' && req.header('access-control-request-method') !== undefined

/** Returns whether the client is a browser opening a page. Programs do not request HTML. */
function namesHtml(c: AppContext): boolean {
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return false
  const listed = listedPreferences(c.req.raw.headers.get('accept'))
  return listed.some(({ name, weight }) => name === 'text/html' && weight > 0)
}

function noRoute(
  c: AppContext,
  allow: readonly string[],
  patterns: readonly string[],
): EngineError {
  if (allow.length === 0) {
    const hint = nearPath(c.req.path, patterns)
    return new EngineError('not_found', `there is nothing at this path${hint}`)
  }
  return new EngineError(
    'method_not_allowed',
    `${c.req.method} is not served at this path; use ${allow.join(', ')}`,
  )
}

function fail(c: AppContext, thrown: unknown): Response {
  const { failures, requestId } = exchangeOf(c)
  return answerFailure(thrown, failures, { path: c.req.path, requestId })
}

/** Converts any thrown value to a response. All errors of requests are converted here. */
function answerThrown(c: AppContext, log: Log, thrown: unknown): Response {
  const exchange = exchangeOf(c)
  const outgoing = outgoingOf(c)
  const left = c.req.raw.signal.aborted
  if (outgoing?.headersSent) {
    // The status has already been sent. Breaking the connection is the only way to show that the slice is
    // incomplete (data-commons-service.md 4.5 rule 7).
    if (exchange.outcome === 'complete') exchange.outcome = left ? 'client gone' : 'failed'
    if (exchange.outcome === 'failed' && isOurs(c, thrown)) logFailure(c, log, thrown)
    outgoing.destroy()
    return RESPONSE_ALREADY_SENT
  }
  if (left) {
    exchange.outcome = 'client gone'
    return new Response(null, { status: 499 })
  }
  if (isOurs(c, thrown)) logFailure(c, log, thrown)
  return fail(c, thrown)
}

/**
 * Returns whether to log the message of an error. If the client caused the error, the message may contain parts
 * of the request, such as a registry file, which must not be logged.
 */
const isOurs = (c: AppContext, thrown: unknown): boolean =>
  fail(c, thrown).status >= 500 && !isExpected(thrown)

/** Returns whether an error need not be logged, because only the client is concerned. */
function isExpected(thrown: unknown): boolean {
  if (descriptorShortage(thrown)) return false
  return (
    thrown instanceof EngineError && ['busy', 'no_index', 'not_supported'].includes(thrown.code)
  )
}
