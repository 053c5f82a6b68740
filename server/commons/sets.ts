import { z } from '@hono/zod-openapi'
import type { Commons, StoredSet } from '../../engine/commons/index.ts'
import { SET_KINDS, SET_OPERATIONS, SET_TYPES } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { attachment } from '../http/disposition.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { json } from '../http/reply.ts'
import { count, flag, names, text, word } from './parameter-forms.ts'
import { searchParameters } from './search-parameters.ts'

export interface StoredSetsEngine {
  readonly sets: Pick<
    Commons['sets'],
    'append' | 'combine' | 'create' | 'delete' | 'get' | 'pin' | 'remove'
  >
  readonly setFiles: Pick<Commons['setFiles'], 'of'>
}

const shownSet = z
  .object({
    set_id: z.string(),
    type: z.enum(SET_TYPES),
    set_type: z.enum(SET_KINDS),
    intent: z.string().nullable(),
    size: z.int().describe('Number of members that are in the current release'),
    lost: z.int().describe('Number of members that are no longer in the current release'),
    release: z.string().describe('The release in which the members were found'),
    created_datetime: z.string(),
  })
  .openapi('StoredSet')

const enveloped = { 'application/json': z.object({ data: shownSet }) }
const UNKNOWN = { description: 'The set does not exist or has expired.' }
const CHANGED = {
  200: { description: 'The set after the change', content: enveloped },
  404: UNKNOWN,
  409: { description: 'The set is not mutable, or was changed at the same time.' },
}

const chosen = searchParameters.pick({ filters: true, case_filters: true })
const size = count(
  'size',
  Number.MAX_SAFE_INTEGER,
  { description: 'Maximum number of records, in the order of their ids.' },
  'set_size',
)
const made = z.object({
  set_type: word('set_type', SET_KINDS, {
    description:
      'Lifetime of the set: `instant` one hour after its last use, `ephemeral` 24 hours, ' +
      '`mutable` and `frozen` 90 days, or as long as a cohort uses it. Only `mutable` sets can ' +
      'be changed.',
  }),
  intent: text('intent', {
    description: 'The purpose of the set, as a word of your own; stored and not used.',
  }),
})
const createParameters = chosen.extend({
  type: word('type', SET_TYPES, { description: 'Required. Kind of the members.' }, 'type_of_set'),
  ...made.shape,
  size,
})
const combineParameters = made.extend({
  sets: names('sets', { description: 'Required. Ids of two to six sets of one type.' }),
  operation: word('operation', SET_OPERATIONS, {
    description: 'Required. `difference` removes the members of all others from the first.',
  }),
})
const bySet = z.object({ set_id: z.string() })

/** Sets of records that clients keep here and name in filters (docs/reference/sets.md). */
export function setsEndpoints(engine: StoredSetsEngine): readonly Endpoint[] {
  const { sets } = engine
  return Object.freeze([
    defineEndpoint({
      methods: ['POST'],
      path: '/sets',
      summary: 'Create a set of records',
      description:
        'The set contains the matching records. Anyone who knows its id can use it: ' +
        '`set_id:<id>` is a value of the id field in any filter.',
      tags: ['search'],
      parameters: createParameters,
      responses: { 201: { description: 'The set', content: enveloped } },
      async handle(call) {
        const input = await call.input()
        const { filters, case_filters: caseFilters, type, set_type: kind, intent } = input
        if (type === undefined) throw missing('type', SET_TYPES)
        const request = { type, kind, intent, filters, caseFilters, size: input.size }
        return made201(await sets.create({ ...request, client: call.client }, call))
      },
    }),
    defineEndpoint({
      methods: ['POST'],
      path: '/sets/combine',
      summary: 'Create a set from others, and count their overlaps',
      description:
        'The response also has `parts`: for each combination of the sets, the number of records ' +
        'in all of these and in none of the others.',
      tags: ['search'],
      parameters: combineParameters,
      responses: {
        201: {
          description: 'The set',
          content: {
            'application/json': z.object({
              data: shownSet.extend({
                parts: z.array(
                  z.object({
                    in: z.array(z.string()),
                    not_in: z.array(z.string()),
                    size: z.int(),
                  }),
                ),
              }),
            }),
          },
        },
        404: UNKNOWN,
      },
      async handle(call) {
        const { sets: ids, operation, set_type: kind, intent } = await call.input()
        if (operation === undefined) throw missing('operation', SET_OPERATIONS)
        const request = { ids, operation, kind, intent, client: call.client }
        const { parts, ...set } = await sets.combine(request, call)
        const shownParts = parts.map(({ within, outside, size: members }) => ({
          in: within,
          not_in: outside,
          size: members,
        }))
        return json(201, { data: { ...shown(set), parts: shownParts } })
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/sets/{set_id}',
      summary: 'A set, with the number of its members',
      tags: ['search'],
      pathParameters: bySet,
      responses: { 200: { description: 'The set', content: enveloped }, 404: UNKNOWN },
      handle: async (call) => json(200, { data: shown(await sets.get(call.path.set_id, call)) }),
    }),
    defineEndpoint({
      methods: ['DELETE'],
      path: '/sets/{set_id}',
      summary: 'Delete a set',
      tags: ['search'],
      pathParameters: bySet,
      responses: { 204: { description: 'The set is deleted.' }, 404: UNKNOWN },
      async handle(call) {
        await sets.delete(call.path.set_id)
        return new Response(null, { status: 204 })
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/sets/{set_id}/ids',
      summary: 'The ids of the members of a set, as a table',
      tags: ['search'],
      pathParameters: bySet,
      parameters: z.object({
        lost: flag('lost', {
          description:
            'Lists the members that are no longer in the release, instead of those that are.',
        }),
      }),
      responses: {
        200: {
          description: 'One line for each member',
          content: { 'text/tab-separated-values': z.string() },
        },
        404: UNKNOWN,
      },
      async handle(call) {
        const { lost } = await call.input()
        const file = { id: call.path.set_id, fileName: 'ids.tsv' }
        const bytes = await engine.setFiles.of([file], { areLost: lost, signal: call.signal })
        return call.stream(bytes, { status: 200, headers: { 'Content-Type': bytes.contentType } })
      },
    }),
    defineEndpoint({
      methods: ['POST'],
      path: '/sets/{set_id}/append',
      summary: 'Add records to a set',
      tags: ['search'],
      pathParameters: bySet,
      parameters: chosen.extend({ size }),
      responses: CHANGED,
      async handle(call) {
        const { filters, case_filters: caseFilters, size: most } = await call.input()
        const request = { filters, caseFilters, size: most }
        return json(200, { data: shown(await sets.append(call.path.set_id, request, call)) })
      },
    }),
    defineEndpoint({
      methods: ['POST'],
      path: '/sets/{set_id}/remove',
      summary: 'Remove records from a set',
      tags: ['search'],
      pathParameters: bySet,
      parameters: chosen,
      responses: CHANGED,
      async handle(call) {
        const { filters, case_filters: caseFilters } = await call.input()
        const request = { filters, caseFilters }
        return json(200, { data: shown(await sets.remove(call.path.set_id, request, call)) })
      },
    }),
    defineEndpoint({
      methods: ['POST'],
      path: '/tar_sets',
      summary: 'The ids of sets as tables: one as it is, several as a tar.gz',
      tags: ['download'],
      parameters: searchParameters.pick({ attachment: true, filename: true }).extend({
        sets: z
          .unknown()
          .optional()
          .openapi({
            type: 'array',
            items: { anyOf: [{ type: 'object' }, { type: 'string' }] },
            description:
              'Required. For each set an object or its JSON text: `id`, `type` and `filename`. A form repeats it.',
          }),
      }),
      responses: {
        200: {
          description: 'The table or the archive',
          content: { 'text/tab-separated-values': z.string(), 'application/x-gzip': z.unknown() },
        },
        404: UNKNOWN,
      },
      handle: (call) => tarOfSets(call, engine),
    }),
  ])
}

async function tarOfSets(
  call: Call<unknown, { readonly sets?: unknown; readonly filename?: string | undefined }>,
  { setFiles }: StoredSetsEngine,
): Promise<Response> {
  const { sets: given, filename } = await call.input()
  const list: readonly unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given]
  const files = list.map((one, i) => setFile(one, `sets[${i}]`))
  const bytes = await setFiles.of(files, { signal: call.signal })
  const name = bytes.fileName ?? filename ?? 'sets.tar.gz'
  const headers = { 'Content-Type': bytes.contentType, 'Content-Disposition': attachment(name) }
  return call.stream(bytes, { status: 200, headers })
}

const fileOfSet = z.object({
  id: z.string().max(100),
  type: z.enum(SET_TYPES).optional(),
  filename: z.string().max(1000).optional(),
})

function setFile(given: unknown, at: string) {
  const read = fileOfSet.safeParse(typeof given === 'string' ? parsed(given) : given)
  if (read.success) {
    const { id, type, filename: fileName = `${id.slice(0, 40)}.tsv` } = read.data
    return { id, type, fileName }
  }
  const message = `${at} must be {"id": …, "type": ${SET_TYPES.map((one) => `"${one}"`).join(' or ')}, "filename": …}`
  throw new EngineError('bad_input', message, { at })
}

function parsed(text: string): unknown {
  try {
    return text.length > 10_000 ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function missing(name: string, words: readonly string[]): EngineError {
  const message = `parameter ${name} is missing; give one of ${words.join(', ')}`
  return new EngineError('bad_input', message, { at: name })
}

const made201 = (set: StoredSet) => json(201, { data: shown(set) })

function shown({ id, type, kind, intent, size: members, lost, release, createdAt }: StoredSet) {
  const of = { set_id: id, type, set_type: kind, intent, size: members, lost }
  return { ...of, release, created_datetime: createdAt }
}
