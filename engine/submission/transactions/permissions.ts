import { mayKnow, NO_ACCESS, noPrincipal } from '../../shared/access/access.ts'
import type { Role } from '../../shared/access/grants.ts'
import type { Principal } from '../../shared/access/tokens.ts'
import type { Rows } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
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
 * Lets pass who has all of some roles in a project (submission.md 2). Administrators have every role.
 * @param action what is asked for, as the message names it
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

/** Whether somebody has a right on a project of a program, be it one that is still to be registered. */
export function mayKnowProgram({ admin, projects }: Principal, program: string): boolean {
  return admin || [...projects.keys()].some((id) => id.split('-', 1)[0] === program)
}

/** Where something is asked for, and by whom. */
export interface ProjectCaller extends SubmissionCaller {
  readonly program: string
  readonly project: string
}

/**
 * A project by its names (submission.md 2). One that the caller has no right on is not found, as one
 * that there is not.
 * @throws EngineError `unauthenticated`, `not_found`
 */
export async function projectNamed(rows: Rows, caller: ProjectCaller): Promise<RegisteredProject> {
  const principal = requirePrincipal(caller)
  const { program, project: code } = caller
  const project = await findProject(rows, program, code)
  if (project && mayKnow(principal, project.projectId)) return project
  const known = await findProgram(rows, program)
  if (known === undefined || !mayKnowProgram(principal, known)) {
    throw new EngineError('not_found', `Program ${program} not found`)
  }
  throw new EngineError('not_found', `Project ${code} not found`)
}
