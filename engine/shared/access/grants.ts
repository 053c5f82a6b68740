import { EngineError } from '../errors.ts'
import { nearestOf } from '../input/near-name.ts'

/** Roles that a user can have in a project. */
export const ROLES = Object.freeze([
  'read',
  'download',
  'create',
  'update',
  'delete',
  'release',
  'admin',
  '_member_',
] as const)
export type Role = (typeof ROLES)[number]

/** Roles of a grant that does not list any. */
const DEFAULT_ROLES: readonly Role[] = Object.freeze(['read', 'download'])

/** Roles that let a user read the bytes of a project's controlled files. One of these roles is enough. */
export const READING_ROLES: readonly Role[] = Object.freeze(['read', 'download', 'admin'])

/** Matches the id of a project. */
export const PROJECT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/**
 * Parses grants of the form `ID` or `ID:role,role`. Grants for the same project are combined.
 * @throws EngineError `bad_input` for an id with other characters than letters, digits and "._-", or an
 *   unknown role
 */
export function parseGrants(texts: readonly string[]): ReadonlyMap<string, readonly Role[]> {
  const grants = new Map<string, readonly Role[]>()
  for (const [i, text] of texts.entries()) {
    const colon = text.indexOf(':')
    const project = colon < 0 ? text : text.slice(0, colon)
    if (!PROJECT_ID.test(project)) {
      throw new EngineError(
        'bad_input',
        `project ${JSON.stringify(text)} is not of the form ID or ID:role,role, where the ID has letters, digits and "._-"`,
        { at: `projects[${i}]` },
      )
    }
    const roles = colon < 0 ? DEFAULT_ROLES : parseRoles(text.slice(colon + 1), project, i)
    grants.set(project, [...new Set([...(grants.get(project) ?? []), ...roles])])
  }
  return grants
}

/** Formats a grant in the form that `parseGrants` reads. The default roles are left out. */
export function grantText(project: string, roles: readonly string[]): string {
  const isDefault =
    roles.length === DEFAULT_ROLES.length && DEFAULT_ROLES.every((role) => roles.includes(role))
  return isDefault ? project : `${project}:${roles.join(',')}`
}

function parseRoles(text: string, project: string, i: number): Role[] {
  return text.split(',').map((given) => {
    const role = ROLES.find((known) => known === given)
    if (role) return role
    throw new EngineError(
      'bad_input',
      `role ${JSON.stringify(given)} of project ${project} is unknown; use one or more of ${ROLES.join(', ')}${nearestOf(given, ROLES)}`,
      { at: `projects[${i}]` },
    )
  })
}
