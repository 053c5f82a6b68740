import { z } from '@hono/zod-openapi'
import type { Submissions } from '../../engine/submission/index.ts'
import { defineEndpoint, type Endpoint, type Method } from '../http/endpoint.ts'
import {
  asyncFlag,
  type CallerEngine,
  callerOf,
  PROJECT_PATH,
  programNames,
  programOf,
  projectNames,
  projectRequestOf,
  RESERVED,
  SUBMISSION_TAGS,
  submissionResponse,
  TOKEN_NEEDED,
} from './call.ts'
import {
  actionResponses,
  entitiesContent,
  linkResponses,
  programResponses,
  projectResponses,
  removalResponses,
} from './shapes.ts'
import { documentOf } from './upload.ts'

export interface ProjectsEngine extends CallerEngine {
  readonly transactions: Pick<Submissions['transactions'], 'act'> & {
    readonly projects: Pick<
      Submissions['transactions']['projects'],
      | 'admit'
      | 'programs'
      | 'codes'
      | 'putProgram'
      | 'putProject'
      | 'deleteProgram'
      | 'deleteProject'
    >
  }
}

const ROOT = '/submission'
const PROGRAM_PATH = '/submission/{program}'
const PUTTING: readonly Method[] = Object.freeze(['PUT', 'POST', 'PATCH'])

const tags = SUBMISSION_TAGS
const security = TOKEN_NEEDED

/** Endpoints that list, register, delete and act on programs and projects (submission.md 3, 13.3). */
export function projectEndpoints(engine: ProjectsEngine): readonly Endpoint[] {
  return [...listings(engine), ...registrations(engine), ...removals(engine), ...actions(engine)]
}

function listings(engine: ProjectsEngine): readonly Endpoint[] {
  const { projects } = engine.transactions
  return [
    defineEndpoint({
      methods: ['GET'],
      path: ROOT,
      summary: 'Paths of the programs that the token has a right in',
      tags,
      security,
      responses: linkResponses,
      async handle(call) {
        const names = await projects.programs(await callerOf(call, engine))
        const links = names.map((name) => `${call.prefix}${ROOT}/${name}`)
        return submissionResponse({ status: 200, body: { links } }, call)
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: PROGRAM_PATH,
      summary: 'Paths of the projects of a program that the token has a right on',
      pathParameters: programNames,
      reserved: RESERVED,
      tags,
      security,
      responses: linkResponses,
      async handle(call) {
        const program = programOf(call)
        const caller = await callerOf(call, engine)
        const codes = await projects.codes({ ...caller, program })
        call.granted({ ...caller, projects: codes.map((code) => `${program}-${code}`) })
        const links = codes.map((code) => `${call.prefix}${ROOT}/${program}/${code}`)
        return submissionResponse({ status: 200, body: { links } }, call)
      },
    }),
  ]
}

/** Maximum bytes of a registration: one object or a table of one row. It is parsed on the main thread. */
const MAX_REGISTRATION_BYTES = 64 << 10

function registrations(engine: ProjectsEngine): readonly Endpoint[] {
  const { projects } = engine.transactions
  return [
    defineEndpoint({
      methods: PUTTING,
      path: ROOT,
      summary: 'Register a program, for administrators',
      content: entitiesContent,
      tags,
      security,
      responses: programResponses,
      async handle(call) {
        const caller = await callerOf(call, engine)
        await projects.admit(caller)
        const document = await documentOf(call, MAX_REGISTRATION_BYTES)
        await call.turns.pause()
        return submissionResponse(await projects.putProgram({ ...caller, ...document }), call)
      },
    }),
    defineEndpoint({
      methods: PUTTING,
      path: PROGRAM_PATH,
      summary: 'Register a project of a program, for its administrators',
      pathParameters: programNames,
      reserved: RESERVED,
      content: entitiesContent,
      tags,
      security,
      responses: projectResponses,
      async handle(call) {
        const request = { ...(await callerOf(call, engine)), program: programOf(call) }
        await projects.admit(request)
        const document = await documentOf(call, MAX_REGISTRATION_BYTES)
        await call.turns.pause()
        return submissionResponse(await projects.putProject({ ...request, ...document }), call)
      },
    }),
  ]
}

function removals(engine: ProjectsEngine): readonly Endpoint[] {
  const { projects } = engine.transactions
  return [
    defineEndpoint({
      methods: ['DELETE'],
      path: PROGRAM_PATH,
      summary: 'Remove a program that has no projects',
      pathParameters: programNames,
      reserved: RESERVED,
      tags,
      security,
      responses: removalResponses,
      async handle(call) {
        await projects.deleteProgram({
          ...(await callerOf(call, engine)),
          program: programOf(call),
        })
        return new Response(null, { status: 204 })
      },
    }),
    defineEndpoint({
      methods: ['DELETE'],
      path: PROJECT_PATH,
      summary: 'Remove a project that has no entities',
      pathParameters: projectNames,
      reserved: RESERVED,
      tags,
      security,
      responses: removalResponses,
      async handle(call) {
        await projects.deleteProject(await projectRequestOf(call, engine))
        return new Response(null, { status: 204 })
      },
    }),
  ]
}

const ACTIONS = Object.freeze({
  review: 'Take an open project in review',
  open: 'Open a project in review again',
  submit: 'Hand the entities of a project in review over',
  release: 'Mark a project for release',
} as const)

function actions(engine: ProjectsEngine): readonly Endpoint[] {
  const named = Object.keys(ACTIONS) as readonly (keyof typeof ACTIONS)[]
  return named.flatMap((action) =>
    [false, true].map((isDryRun) => {
      const tail = isDryRun ? `/${action}/_dry_run` : `/${action}`
      return defineEndpoint({
        methods: ['POST', 'PUT'],
        path: `${PROJECT_PATH}${tail}`,
        summary: isDryRun ? `${ACTIONS[action]}: dry run` : ACTIONS[action],
        pathParameters: projectNames,
        parameters: z.object({ async: asyncFlag }),
        takesQueryOnly: true,
        tags,
        security,
        responses: actionResponses,
        async handle(call) {
          const request = { ...(await projectRequestOf(call, engine, tail)), action, isDryRun }
          const isAsync = call.query().async ?? false
          const { signal } = call
          return submissionResponse(
            await engine.transactions.act({ ...request, isAsync, signal }),
            call,
          )
        },
      })
    }),
  )
}
