import { EngineError } from '../errors.ts'
import { PROJECT_ID, READING_ROLES, ROLES } from './grants.ts'
import type { Principal } from './principal.ts'

type Rights = Pick<Principal, 'admin' | 'projects'>

/** The part of the owner's rights that a personal token has. It never adds a right. */
export interface TokenScope {
  /** Ids of the projects that the token reaches. All of the owner's if undefined. */
  readonly projects?: readonly string[] | undefined
  /** Whether the token can only read: it then has no other roles, and no administrator's rights. */
  readonly readOnly: boolean
}

/** Maximum number of projects in a scope. */
const MAX_PROJECTS = 100

/**
 * Checks a scope.
 * @throws EngineError `bad_input` for more than 100 projects, none at all, or text that is not the id of a project
 */
export function checkScope({ projects }: TokenScope): void {
  if (projects === undefined) return
  const wrong = projects.find((project) => !PROJECT_ID.test(project))
  if (projects.length > 0 && projects.length <= MAX_PROJECTS && wrong === undefined) return
  const given =
    wrong === undefined ? `${projects.length} projects` : JSON.stringify(wrong.slice(0, 128))
  throw new EngineError(
    'bad_input',
    `${given} cannot be the scope of a token; name 1 to ${MAX_PROJECTS} projects by their ids, or leave them out for all`,
    { at: 'projects' },
  )
}

/**
 * Returns the rights that a token with this scope has. An administrator's token that is limited to projects has all
 * roles in them, and is not an administrator.
 */
export function restrict(rights: Rights, { projects, readOnly }: TokenScope): Rights {
  const admin = rights.admin && !readOnly && projects === undefined
  const reached = projects ?? [...rights.projects.keys()]
  const rolesIn = (project: string) => [
    ...new Set([
      ...(rights.projects.get(project) ?? []),
      ...(rights.admin && projects ? ROLES : []),
    ]),
  ]
  const kept = reached.map((project): readonly [string, readonly string[]] => [
    project,
    rolesIn(project)
      .filter((role) => !readOnly || isReading(role))
      .sort(),
  ])
  return { admin, projects: new Map(kept.filter(([, roles]) => roles.length > 0)) }
}

/** The role `admin` also reads, but it changes as well. */
const isReading = (role: string) =>
  role !== 'admin' && READING_ROLES.some((reading) => reading === role)
