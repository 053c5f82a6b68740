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

/** The part of the engine that identifies the submitter. */
export interface CallerEngine {
  readonly credentials: Pick<Submissions['credentials'], 'verify'>
}

/** Path of a project (submission.md 1). */
export const PROJECT_PATH = '/submission/{program}/{project}'
export const programNames = z.object({ program: z.string() })
export const projectNames = z.object({ program: z.string(), project: z.string() })

export const SUBMISSION_TAGS: readonly string[] = Object.freeze(['submission'])
export const TOKEN_NEEDED: readonly SecurityRequirement[] = Object.freeze([{ token: [] }])

/** Words that cannot be the name of a program, because they have another meaning or none (submission.md 1). */
const NO_PROGRAM: ReadonlySet<string> = new Set([
  '_dictionary',
  'template',
  'templates',
  'graphql',
  'getschema',
  'validation',
  'admin',
])
/** Reserved words, for endpoints that would otherwise take them as the name of a program. */
export const RESERVED = Object.freeze({ program: NO_PROGRAM })

/** Health data and restricted data must not be cached. */
export const UNCACHED = Object.freeze({ 'Cache-Control': 'no-store' })

/**
 * Returns the caller by the token of the request. The answer is recorded as one with submitted data.
 * @param projects ids of the projects concerned, for the record
 */
export async function callerOf(
  { token, granted }: Pick<Call<unknown, unknown>, 'granted' | 'token'>,
  { credentials }: CallerEngine,
  projects: readonly string[] = [],
): Promise<SubmissionCaller> {
  const principal = token === undefined ? undefined : await credentials.verify(token)
  // The engine refuses callers without rights, whose answers are not recorded.
  if (principal) granted({ principal, projects })
  return { principal, tokenGiven: token !== undefined }
}

/**
 * Returns the program in a path below `/submission`.
 * @throws EngineError `not_found` for a reserved word
 */
export function programOf({ path }: Pick<Call<{ program: string }, unknown>, 'path'>): string {
  if (!NO_PROGRAM.has(path.program)) return path.program
  throw nothingHere()
}

/**
 * Returns the caller and the project of a request. The engine checks that the project exists.
 * @param tail rest of the path after the project, such as `/_dry_run`
 * @throws EngineError `not_found` for a reserved word
 */
export async function projectRequestOf(
  call: Pick<
    Call<{ program: string; project: string }, unknown>,
    'granted' | 'path' | 'prefix' | 'token'
  >,
  engine: CallerEngine,
  tail = '',
): Promise<Pick<SubmissionRequest, keyof SubmissionCaller | 'program' | 'project' | 'path'>> {
  const program = programOf(call)
  const { project } = call.path
  const path = `${call.prefix}/submission/${program}/${project}${tail}`
  return { ...(await callerOf(call, engine, [`${program}-${project}`])), program, project, path }
}

/** Creates the error for a path that looks valid but is not. */
export function nothingHere(): EngineError {
  return new EngineError('not_found', 'there is nothing at this path')
}

/** Defines a parameter that must not be empty. */
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

/** Whether to respond before the work is done (submission.md 1, 10.3). */
export const asyncFlag = strictParameter('async', readBoolean, {
  type: 'boolean',
  default: false,
  description: 'Whether to respond at once; the transaction log shows the result later.',
})

function readBoolean(given: unknown): boolean {
  const word = typeof given === 'string' && given.length < 100 ? given.trim().toLowerCase() : ''
  if (word === 'true' || word === 'false') return word === 'true'
  throw new EngineError('bad_input', 'Boolean value not one of [true, false]')
}

/**
 * Builds the response to a submission, and notes its entities and transaction for the record. A worker thread may
 * already have serialized its body.
 */
export function submissionResponse(
  answer: SubmissionAnswer,
  { granted }: Pick<Call<unknown, unknown>, 'granted'>,
): Response {
  const { entities, projectId, transactionId: transaction } = answer
  // Who the caller is has been noted before.
  granted({ principal: undefined, projects: projectId ? [projectId] : [], entities, transaction })
  const text = answer.json ?? writeExactJson(answer.body)
  // The submission was not stored, so a retry may succeed.
  const headers =
    answer.status === 503 ? { ...UNCACHED, 'Retry-After': String(RETRY_AFTER_SECONDS) } : UNCACHED
  return reply(answer.status, 'application/json', text, headers)
}
