import { z } from '@hono/zod-openapi'
import type { CohortOwner, Commons, GivenCohort, StoredCohort } from '../../engine/commons/index.ts'
import { COHORT_LIMITS } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { isObject, MAX_PARAMETER_VALUES } from '../../engine/shared/internal.ts'
import type { Config } from '../config.ts'
import { cookieOf, setCookie } from '../http/cookies.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { parseJsonInTurns } from '../http/json-text.ts'
import { originOf, requireOwnPage } from '../http/origin.ts'
import { flag } from './parameter-forms.ts'

export interface CohortsEngine {
  readonly cohorts: Pick<
    Commons['cohorts'],
    'create' | 'delete' | 'get' | 'isContext' | 'list' | 'newContext' | 'replace'
  >
}

/** Cookie by which the portal's browser identifies the owner of the requested cohorts. */
const COOKIE = 'gdc_context_id'
const YEAR_SECONDS = 31_536_000

/** Maximum size of a body in bytes: the filters, and space for the other members. */
const BODY_BYTES = COHORT_LIMITS.filterBytes + (64 << 10)

const cohort = z
  .object({
    id: z.string(),
    name: z.string(),
    filters: z.looseObject({}).describe('As it was given'),
    type: z.string(),
    case_ids: z.array(z.string()).describe('Always empty: search `/cases` with `filters`'),
    data_release: z.object({ id: z.string() }).describe('The release when the cohort was saved'),
    created_datetime: z.string(),
    modified_datetime: z.string(),
  })
  .openapi('Cohort')

const given = {
  'application/json': z.object({
    name: z.string(),
    filters: z.looseObject({}),
    type: z.string().optional(),
  }),
}
const byId = z.object({ cohort_id: z.string() })
const UNKNOWN = { description: 'The browser has no such cohort.' }
const REFUSED = {
  description:
    'Another cohort of this browser has the name, in any case; or the filter is invalid.',
}
const NEVER_KEPT = Object.freeze({ 'Cache-Control': 'no-store' })

/** Endpoints for the cohorts of a browser, which its cookie identifies (docs/reference/sets.md). */
export function cohortsEndpoints(
  { cohorts }: CohortsEngine,
  config: Pick<Config, 'host' | 'port' | 'trustedProxies'>,
): readonly Endpoint[] {
  const contextOf = ({ headers }: Call<unknown, unknown>) => {
    const sent = cookieOf(headers, COOKIE)
    return sent !== undefined && cohorts.isContext(sent) ? sent : undefined
  }
  const ownerOf = (call: Call<unknown, unknown>): CohortOwner => {
    const context = contextOf(call)
    if (context !== undefined) return { context, client: call.client }
    throw new EngineError('not_found', 'there is no cohort of that id for this browser')
  }
  /** Returns headers that set the context cookie, or extend an existing one by a year. */
  const cookie = ({ headers }: Call<unknown, unknown>, context: string) => ({
    ...NEVER_KEPT,
    'Set-Cookie': setCookie(COOKIE, context, {
      seconds: YEAR_SECONDS,
      isSecure: originOf(headers, config).startsWith('https:'),
    }),
  })
  const common = { tags: ['search'], security: [] } as const
  const one = { description: 'The cohort', content: { 'application/json': cohort } }
  return Object.freeze([
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/cohorts',
      summary: 'The cohorts of this browser',
      description:
        'A cookie identifies the browser, which gets one here if it has none. Scripts cannot read it.',
      parameters: z.object({
        include_case_ids: flag('include_case_ids', {
          description: 'Accepted and ignored: `case_ids` is always empty.',
        }),
      }),
      responses: {
        200: {
          description: 'The cohorts, by name',
          content: { 'application/json': z.array(cohort) },
        },
      },
      async handle(call) {
        call.query()
        const context = contextOf(call)
        const headers = cookie(call, context ?? cohorts.newContext())
        const pieces = [Buffer.from('[')]
        if (context !== undefined) {
          for await (const some of cohorts.list({ context })) {
            await call.turns.pause()
            const separator = pieces.length === 1 ? '' : ','
            pieces.push(Buffer.from(separator + some.map(shown).join()))
          }
        }
        return call.pieces([...pieces, Buffer.from(']')], {
          status: 200,
          headers: { ...JSON_TYPE, ...headers },
        })
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['POST'],
      path: '/cohorts',
      summary: 'Save a cohort',
      content: given,
      parameters: z.object({
        delete_existing: flag('delete_existing', {
          description: 'Replaces another cohort of that name. The new one has another id.',
        }),
      }),
      responses: { 201: one, 400: REFUSED },
      async handle(call) {
        requireOwnPage(call.headers)
        const { delete_existing: replaces } = call.query()
        const context = contextOf(call) ?? cohorts.newContext()
        const owner = { context, client: call.client }
        const made = await cohorts.create(owner, await bodyOf(call), replaces)
        return answer(call, 201, made, cookie(call, context))
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/cohorts/{cohort_id}',
      summary: 'One cohort of this browser',
      pathParameters: byId,
      responses: { 200: one, 404: UNKNOWN },
      async handle(call) {
        const found = await cohorts.get(ownerOf(call), call.path.cohort_id)
        return answer(call, 200, found)
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['PUT'],
      path: '/cohorts/{cohort_id}',
      summary: 'Replace a cohort, keeping its id',
      pathParameters: byId,
      content: given,
      responses: { 200: one, 400: REFUSED, 404: UNKNOWN },
      async handle(call) {
        requireOwnPage(call.headers)
        const changed = await cohorts.replace(
          ownerOf(call),
          call.path.cohort_id,
          await bodyOf(call),
        )
        return answer(call, 200, changed)
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['DELETE'],
      path: '/cohorts/{cohort_id}',
      summary: 'Delete a cohort',
      pathParameters: byId,
      responses: { 204: { description: 'The cohort is deleted.' }, 404: UNKNOWN },
      async handle(call) {
        requireOwnPage(call.headers)
        await cohorts.delete(ownerOf(call), call.path.cohort_id)
        return new Response(null, { status: 204 })
      },
    }),
  ])
}

/** Reads the body as it was sent, because a cohort is returned exactly as its page saved it. */
async function bodyOf(call: Call<unknown, unknown>): Promise<GivenCohort> {
  const bytes = await call.body(BODY_BYTES)
  const value = await parseJsonInTurns(bytes, call.turns, { maxValues: MAX_PARAMETER_VALUES })
  if (isObject(value)) {
    const { name, filters, type } = value as Readonly<Record<string, unknown>>
    return { name, filters: filters ?? {}, type: type ?? undefined }
  }
  const message = 'the body must be a JSON object with name and filters'
  throw new EngineError('bad_input', message, { at: 'body' })
}

/** Filters can be megabytes long, so the response contains their text as it is stored. */
function shown({ id, name, filters, type, release, createdAt, modifiedAt }: StoredCohort): string {
  const rest = {
    type,
    case_ids: [],
    data_release: { id: release },
    created_datetime: createdAt,
    modified_datetime: modifiedAt,
  }
  const [before, after] = [JSON.stringify({ id, name }), JSON.stringify(rest)]
  return `${before.slice(0, -1)},"filters":${filters},${after.slice(1)}`
}

const JSON_TYPE = Object.freeze({ 'Content-Type': 'application/json' })

async function answer(
  call: Call<unknown, unknown>,
  status: number,
  cohort: StoredCohort,
  headers: Readonly<Record<string, string>> = NEVER_KEPT,
): Promise<Response> {
  await call.turns.pause()
  const piece = Buffer.from(shown(cohort))
  return call.pieces([piece], { status, headers: { ...JSON_TYPE, ...headers } })
}
