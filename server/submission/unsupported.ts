import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import type { Submissions } from '../../engine/submission/index.ts'
import { commonsFailures } from '../commons/errors.ts'
import { defineEndpoint, type Endpoint, type Method } from '../http/endpoint.ts'
import {
  type CallerEngine,
  PROJECT_PATH,
  projectNames,
  projectRequestOf,
  SUBMISSION_TAGS,
  TOKEN_NEEDED,
} from './call.ts'

export interface UnsupportedEngine extends CallerEngine {
  readonly transactions: Pick<Submissions['transactions'], 'requireRights'>
}

interface Unsupported {
  readonly methods: readonly Method[]
  readonly path: string
  readonly pathParameters: typeof projectNames
  readonly summary: string
  /** Right that the caller needs. Without it, the response is 403 and says nothing about the project. */
  readonly right: 'administer' | 'upload'
  /** Returns advice on what to use instead. Its argument is the path of the project. */
  readonly instead: (project: string) => string
}

const ADMIN_PATH = '/submission/admin/{program}/{project}'

const BULK = {
  methods: ['POST', 'PUT'],
  pathParameters: projectNames,
  summary: 'Several documents at once: not supported',
  right: 'upload',
  instead: (project) =>
    `bulk uploads are not supported; send all entities in one body to ${project}: that is one transaction, too, and a table may have rows of several types`,
} satisfies Omit<Unsupported, 'path'>

const BCR_XML = {
  methods: ['PUT'],
  pathParameters: projectNames,
  summary: 'Entities as XML of a biospecimen core resource: not supported',
  right: 'upload',
  instead: (project) =>
    `entities as XML are not supported; send them as JSON, TSV or CSV in the form of ${project}/template to ${project}; an XML file as such is a clinical_supplement or biospecimen_supplement`,
} satisfies Omit<Unsupported, 'path'>

const UNSUPPORTED: readonly Unsupported[] = [
  { ...BULK, path: `${PROJECT_PATH}/bulk` },
  { ...BULK, path: `${PROJECT_PATH}/bulk/_dry_run` },
  ...['biospecimen', 'clinical'].flatMap((kind) => [
    { ...BCR_XML, path: `${PROJECT_PATH}/xml/${kind}/bcr` },
    { ...BCR_XML, path: `${PROJECT_PATH}/xml/${kind}/bcr/_dry_run` },
  ]),
  {
    methods: ['PUT'],
    path: `${ADMIN_PATH}/files/{id}/reassign`,
    pathParameters: projectNames.extend({ id: z.string() }),
    summary: 'Another place for the data of a file: not supported',
    right: 'administer',
    instead: (project) =>
      `data of files are not reassigned; remove them by DELETE of ${project}/files/{id}, and upload them again`,
  },
  {
    methods: ['DELETE'],
    path: `${ADMIN_PATH}/entities/{ids}/to_delete/{mark}`,
    pathParameters: projectNames.extend({ ids: z.string(), mark: z.string() }),
    summary: 'A mark for deletion: not supported',
    right: 'administer',
    instead: (project) =>
      `entities are not marked for deletion; delete them by DELETE of ${project}/entities/{ids}, and redact released ones by casemill project redact`,
  },
]

/** Endpoints of related services that are not supported. Their responses say what to use (submission.md 1). */
export function unsupportedEndpoints(engine: UnsupportedEngine): readonly Endpoint[] {
  return UNSUPPORTED.map(({ right, instead, ...described }) =>
    defineEndpoint({
      ...described,
      takesQueryOnly: true,
      tags: SUBMISSION_TAGS,
      security: TOKEN_NEEDED,
      responses: {
        403: { description: 'The token is not good, or its user may not do this.' },
        404: { description: 'There is no such program or project.' },
        501: {
          description: 'Not supported; the text names what to use.',
          content: { 'application/json': commonsFailures.schema },
        },
      },
      async handle(call) {
        const request = await projectRequestOf(call, engine)
        await engine.transactions.requireRights(request, right)
        throw new EngineError('not_supported', instead(request.path))
      },
    }),
  )
}
