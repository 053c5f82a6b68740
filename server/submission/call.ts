import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import type {
  SubmissionAnswer,
  SubmissionCaller,
  SubmissionRequest,
  Submissions,
} from '../../engine/submission/index.ts'
import { writeExactJson } from '../../engine/submission/internal.ts'
import type { Call, SecurityRequirement } from '../http/endpoint.ts'
import { RETRY_AFTER_SECONDS } from '../http/failure.ts'
import { reply } from '../http/reply.ts'

/** What is needed of the engine to know who submits. */
export interface CallerEngine {
  readonly tokens: Pick<Submissions['tokens'], 'verify'>
}

/** Where everything of a project lies (submission.md 1). */
export const PROJECT_PATH = '/submission/{program}/{project}'
export const programNames = z.object({ program: z.string() })
export const projectNames = z.object({ program: z.string(), project: z.string() })

export const SUBMISSION_TAGS: readonly string[] = Object.freeze(['submission'])
export const TOKEN_NEEDED: readonly SecurityRequirement[] = Object.freeze([{ token: [] }])

/** What stands where a program would, and is something else or nothing (submission.md 1). */
const NO_PROGRAM: ReadonlySet<string> = new Set([
  ...['_dictionary', 'template', 'templates', 'graphql', 'getschema', 'validation', 'admin'],
])
/** For endpoints that such a word could be taken for a program by. */
export const RESERVED = Object.freeze({ program: NO_PROGRAM })

/** Health data, and what only some may see, is not for caches. */
export const UNCACHED = Object.freeze({ 'Cache-Control': 'no-store' })

/** Who asks, by the token that was sent. */
export async function callerOf(
  { token }: Pick<Call<unknown, unknown>, 'token'>,
  { tokens }: CallerEngine,
): Promise<SubmissionCaller> {
  return {
    principal: token === undefined ? undefined : await tokens.verify(token),
    tokenGiven: token !== undefined,
  }
}

/**
 * The program of a path below `/submission`.
 * @throws EngineError `not_found` for a word that no program may be called
 */
export function programOf({ path }: Pick<Call<{ program: string }, unknown>, 'path'>): string {
  if (!NO_PROGRAM.has(path.program)) return path.program
  throw nothingHere()
}

/**
 * Who asks for something of a project, and where; whether there is such a project is the engine's to
 * say.
 * @param tail what the request's path has behind the project, such as `/_dry_run`
 * @throws EngineError `not_found` for a word that no program may be called
 */
export async function projectRequestOf(
  call: Pick<Call<{ program: string; project: string }, unknown>, 'path' | 'prefix' | 'token'>,
  engine: CallerEngine,
  tail = '',
): Promise<Pick<SubmissionRequest, keyof SubmissionCaller | 'program' | 'project' | 'path'>> {
  const program = programOf(call)
  const { project } = call.path
  const path = `${call.prefix}/submission/${program}/${project}${tail}`
  return { ...(await callerOf(call, engine)), program, project, path }
}

/** The error for a path that looks like one of ours and is none. */
export function nothingHere(): EngineError {
  return new EngineError('not_found', 'there is nothing at this path')
}

/** A parameter that says something wrong when it is there and empty. */
export function strictParameter<Value>(
  name: string,
  read: (given: unknown) => Value,
  shape: Readonly<Record<string, unknown>>,
) {
  return z
    .unknown()
    .refine((given) => given !== null)
    .optional()
    .transform((given) => (given === undefined ? undefined : read(given)))
    .openapi({ ...shape, param: { name, in: 'query' } })
}

/** Whether to answer before the work is done (submission.md 1, 10.3). */
export const asyncFlag = strictParameter('async', readBoolean, {
  type: 'boolean',
  default: false,
  description: 'Whether to answer at once; the transaction log shows later what came of it.',
})

function readBoolean(given: unknown): boolean {
  const word = typeof given === 'string' && given.length < 100 ? given.trim().toLowerCase() : ''
  if (word === 'true' || word === 'false') return word === 'true'
  throw new EngineError('bad_input', 'Boolean value not one of [true, false]')
}

/** The response to what was submitted; megabytes may have been written by a thread already. */
export function submissionResponse(answer: SubmissionAnswer): Response {
  const text = answer.json ?? writeExactJson(answer.body)
  // It was not written: whoever sends it again may have more luck.
  const headers =
    answer.status === 503 ? { ...UNCACHED, 'Retry-After': String(RETRY_AFTER_SECONDS) } : UNCACHED
  return reply(answer.status, 'application/json', text, headers)
}
