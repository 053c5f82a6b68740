import { NO_ACCESS, noPrincipal } from '../access/access.ts'
import type { Role } from '../access/grants.ts'
import type { Principal } from '../access/tokens.ts'
import type { Rows } from '../database/database.ts'
import { EngineError } from '../errors.ts'
import type { RegisteredProject } from './graph.ts'
import { findProgram, findProject } from './store/projects.ts'

/** Who asks. */
export interface SubmissionCaller {
  /** Whom the token belongs to, if it is good. */
  readonly principal: Principal | undefined
  readonly tokenGiven: boolean
}

/** @throws EngineError `unauthenticated` */
export function requirePrincipal({ principal, tokenGiven }: SubmissionCaller): Principal {
  if (!principal) throw noPrincipal(tokenGiven)
  return principal
}

/**
 * Lets pass who has all of some roles in a project (submission 2). Administrators have every role.
 * @param action what is asked for, as it is told
 * @throws EngineError `forbidden`
 */
export function requireRoles(
  principal: Principal,
  { projectId }: Pick<RegisteredProject, 'projectId'>,
  roles: readonly Role[],
  action: string,
): void {
  if (principal.admin) return
  const held = principal.projects.get(projectId) ?? []
  const missing = roles.find((role) => !held.includes(role))
  if (missing === undefined) return
  const message = `${NO_ACCESS}: You don't have ${missing} role to do '${action}'`
  throw new EngineError('forbidden', message)
}

/** @throws EngineError `forbidden` */
export function requireAdministrator(principal: Principal, action: string): void {
  if (principal.admin) return
  throw new EngineError('forbidden', `${NO_ACCESS}: You don't have admin role to do '${action}'`)
}

/**
 * A project by its names (submission 2); it is looked up before rights are.
 * @throws EngineError `not_found`
 */
export async function projectNamed(
  rows: Rows,
  program: string,
  code: string,
): Promise<RegisteredProject> {
  const project = await findProject(rows, program, code)
  if (project) return project
  if ((await findProgram(rows, program)) === undefined) {
    throw new EngineError('not_found', `Program ${program} not found`)
  }
  throw new EngineError('not_found', `Project ${code} not found`)
}
