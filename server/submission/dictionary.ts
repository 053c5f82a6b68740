import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import type { Dictionary, Submissions, TemplateFormat } from '../../engine/submission/index.ts'
import {
  ALL_ENTRIES,
  TEMPLATE_FORMATS,
  templateArchive,
  templateList,
  templateText,
  typesWithTemplates,
} from '../../engine/submission/internal.ts'
import { names as commaNames } from '../commons/parameter-forms.ts'
import { attachment } from '../http/disposition.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { etagOf } from '../http/etag.ts'
import { type Prepared, prepare } from '../http/prepared.ts'
import { reply } from '../http/reply.ts'
import { PROJECT_PATH, programOf, projectNames, SUBMISSION_TAGS } from './call.ts'

export interface DictionaryEngine {
  readonly dictionary: Pick<Submissions['dictionary'], 'current'>
}

const DICTIONARY = '_dictionary'
const FILE_TYPE = 'application/octet-stream'

/** Clients' documentation uses both names (submission.md 1). */
const TEMPLATES = ['template', 'templates'] as const

/** Where the dictionary is served: globally, and below each project. */
interface Place {
  readonly at: string
  readonly names: Readonly<Record<string, z.ZodString>>
  /**
   * Returns the start of links for the names in a path.
   * @throws EngineError `not_found` if the program is a reserved word
   */
  readonly pathOf: (names: Readonly<Record<string, string>>) => string
}

/** Any project name is accepted, because a public endpoint must not reveal which projects exist. */
const PLACES: readonly Place[] = Object.freeze([
  { at: '/submission', names: {}, pathOf: () => '/submission' },
  {
    at: PROJECT_PATH,
    names: projectNames.shape,
    pathOf(names) {
      const path = projectNames.parse(names)
      return `/submission/${programOf({ path })}/${path.project}`
    },
  },
])

const format = z
  .string()
  .optional()
  .openapi({ enum: [...TEMPLATE_FORMATS], default: 'tsv', description: 'The form of a template' })

const choice = z.object({
  format,
  categories: commaNames('categories', {
    description: 'Categories of entity types to return; all if absent.',
    example: 'clinical,biospecimen',
  }),
  exclude: commaNames('exclude', {
    description: 'Entity types to leave out.',
    example: 'slide',
  }),
})

const file = { content: { [FILE_TYPE]: z.unknown() } }
const responses = (found: string) => ({
  200: { description: found, content: { 'application/json': z.record(z.string(), z.unknown()) } },
  304: { description: 'The client has this answer already.' },
})

/** Public endpoints for the dictionary and templates (submission.md 1, 5 and 6). */
export function dictionaryEndpoints(engine: DictionaryEngine): readonly Endpoint[] {
  return Object.freeze(
    PLACES.flatMap((place) => [
      ...schemaEndpoints(engine.dictionary, place),
      ...TEMPLATES.flatMap((name) => templateEndpoints(engine.dictionary, place, name)),
    ]),
  )
}

function schemaEndpoints(
  dictionary: DictionaryEngine['dictionary'],
  { at, names, pathOf }: Place,
): readonly Endpoint[] {
  const schemas = onceFor((found, entry) =>
    entry === ALL_ENTRIES ? found.entries() : found.entry(entry),
  )
  return [
    defineEndpoint({
      methods: ['GET'],
      path: `${at}/${DICTIONARY}`,
      summary: 'Paths of the dictionary, one for each entity type',
      tags: SUBMISSION_TAGS,
      compress: true,
      pathParameters: z.object(names),
      responses: responses('The paths'),
      async handle(call) {
        const place = `${call.prefix}${pathOf(call.path)}`
        const { types } = await dictionary.current()
        const entries = [...types.keys(), ALL_ENTRIES]
        const links = entries.map((entry) => `${place}/${DICTIONARY}/${entry}`)
        return call.send(prepare('application/json', () => JSON.stringify({ links }))())
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: `${at}/${DICTIONARY}/{entry}`,
      summary: 'The schema of an entity type, or all of them',
      description:
        'A JSON schema (draft 4) with resolved references, links, unique keys and categories. ' +
        '`_all` returns all types by name, and the shared files `_definitions`, `_terms`, ' +
        '`_terms_enum` and `metaschema`, which can also be requested one by one.',
      tags: SUBMISSION_TAGS,
      compress: true,
      pathParameters: z.object({ ...names, entry: z.string() }),
      responses: { ...responses('The schema'), 404: { description: 'There is no such entry.' } },
      async handle(call) {
        pathOf(call.path)
        const found = await dictionary.current()
        const { entry } = call.path
        if (entry !== ALL_ENTRIES && found.entry(entry) === undefined) {
          throw new EngineError('not_found', `Entry ${entry} not in dictionary`)
        }
        return call.send(schemas(found, entry))
      },
    }),
  ]
}

function templateEndpoints(
  dictionary: DictionaryEngine['dictionary'],
  { at, names, pathOf }: Place,
  name: (typeof TEMPLATES)[number],
): Endpoint[] {
  return [
    defineEndpoint({
      methods: ['GET'],
      path: `${at}/${name}`,
      summary: 'Templates of all entity types that belong to projects',
      description:
        'One JSON list with `format=json`, otherwise a tar.gz with a file for each type.',
      tags: SUBMISSION_TAGS,
      compress: true,
      pathParameters: z.object(names),
      parameters: choice,
      responses: {
        200: { description: 'The templates', ...file },
        304: { description: 'The client has this answer already.' },
        400: { description: 'The format is not supported.' },
      },
      async handle(call) {
        pathOf(call.path)
        const { format, categories, exclude } = call.query()
        const wanted = readFormat(format)
        const found = await dictionary.current()
        const types = typesWithTemplates(found, { categories, exclude })
        if (wanted === 'json') {
          const list = prepare(FILE_TYPE, () => templateList(found, types))
          return call.send(list(), saved('submission_templates.json'))
        }
        return sendArchive(call, await templateArchive(found, types, wanted))
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: `${at}/${name}/{type}`,
      summary: 'The template of an entity type',
      description:
        'The properties of a document of the type. Required ones have a star, which uploads can ' +
        'contain.',
      tags: SUBMISSION_TAGS,
      pathParameters: z.object({ ...names, type: z.string() }),
      parameters: z.object({ format }),
      responses: {
        200: { description: 'The template', ...file },
        304: { description: 'The client has this answer already.' },
        400: { description: 'The format is not supported.' },
        404: { description: 'There is no such entity type.' },
      },
      async handle(call) {
        pathOf(call.path)
        const found = await dictionary.current()
        const { type: given } = call.path
        const type = found.types.get(given)
        if (!type) {
          throw new EngineError('not_found', `Entity type ${given} is not in dictionary`)
        }
        const wanted = readFormat(call.query().format)
        const template = prepare(FILE_TYPE, () => templateText(found, type, wanted))
        return call.send(template(), saved(`submission_${given}_template.${wanted}`))
      },
    }),
  ]
}

/**
 * Parses a template format.
 * @throws EngineError `bad_input` for a format that is not supported
 */
export function readFormat(given = 'tsv'): TemplateFormat {
  const found = TEMPLATE_FORMATS.find((format) => format === given.toLowerCase())
  if (found !== undefined) return found
  throw new EngineError(
    'bad_input',
    `Format ${given} is not supported; supported formats are: ${TEMPLATE_FORMATS.join(',')}.`,
  )
}

function saved(fileName: string): Readonly<Record<string, string>> {
  return { 'Content-Disposition': attachment(fileName) }
}

/** Sends an archive without a content coding, because archives are already compressed. */
function sendArchive(
  call: Pick<Call<unknown, unknown>, 'unchanged'>,
  archive: Uint8Array<ArrayBuffer>,
): Response {
  const etag = etagOf([FILE_TYPE, Buffer.from(archive).toString('latin1')])
  const headers = { 'Cache-Control': 'no-cache', ...saved('submission_templates.tar.gz') }
  return call.unchanged(etag, headers) ?? reply(200, FILE_TYPE, archive, { ...headers, ETag: etag })
}

/** Caches one response per name. Names are those of dictionary entries, so their number is limited. */
function onceFor(make: (found: Dictionary, name: string) => unknown) {
  const made = new Map<string, () => Prepared>()
  return (found: Dictionary, name: string): Prepared => {
    let prepared = made.get(name)
    if (prepared === undefined) {
      prepared = prepare('application/json', () => JSON.stringify(make(found, name)))
      made.set(name, prepared)
    }
    return prepared()
  }
}
