import { mayKnow, NO_ACCESS, noPrincipal } from '../../shared/access/access.ts'
import type { Role } from '../../shared/access/grants.ts'
import type { Principal } from '../../shared/access/principal.ts'
import type { Rows } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { RegisteredProject } from './graph.ts'
import { findProgram, findProject } from './store/projects.ts'

/** The caller of a submission request. */
export interface SubmissionCaller {
  /** Owner of the token. Undefined without a valid token. */
  readonly principal: Principal | undefined
  readonly tokenGiven: boolean
}

/**
 * Returns the caller's identity.
 * @throws EngineError `unauthenticated` if there is none
 */
export function requirePrincipal({ principal, tokenGiven }: SubmissionCaller): Principal {
  if (!principal) throw noPrincipal(tokenGiven)
  return principal
}

/**
 * Checks that the caller has all of the roles in a project (submission.md 2). Administrators have every role.
 * @param action action to name in the message
 * @throws EngineError `forbidden` if one is missing
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

/**
 * Checks that the caller is an administrator.
 * @throws EngineError `forbidden` otherwise
 */
export function requireAdministrator(principal: Principal, action: string): void {
  if (principal.admin) return
  throw new EngineError('forbidden', `${NO_ACCESS}: You don't have admin role to do '${action}'`)
}

/** Returns whether the caller has a right in a project of a program, even if the project is not registered yet. */
export function mayKnowProgram({ admin, projects }: Principal, program: string): boolean {
  return admin || [...projects.keys()].some((id) => id.split('-', 1)[0] === program)
}

/** A caller with the requested project. */
interface ProjectCaller extends SubmissionCaller {
  readonly program: string
  readonly project: string
}

/**
 * Returns a project by its names (submission.md 2). If the caller has no right in it, it is reported as
 * missing.
 * @throws EngineError `unauthenticated` without a principal; `not_found` if the project does not exist, or
 *   the caller has no right in it
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
