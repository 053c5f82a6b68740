import type { VersionBody } from './bodies.ts'
import { type Caller, hasOneOf, type Role } from './roles.ts'

/** Roles that are required in addition to `edit_roles`. */
const EDITORS: readonly Role[] = ['ADMIN', 'STAGING_ADMIN', 'STAGING_EDITOR']

/**
 * Describes roles of a version that its author may not have meant. They cannot lock out the author, because
 * whoever assigns roles can see and delete all versions.
 */
export function roleDoubts(
  caller: Caller,
  { view_roles = [], edit_roles = [] }: Pick<VersionBody, 'view_roles' | 'edit_roles'>,
): readonly string[] {
  const doubts: string[] = []
  if (!hasOneOf(caller, view_roles)) {
    doubts.push(
      '"view_roles" has none of your roles: you see the version because you decide on them; other editors do not',
    )
  }
  if (!hasOneOf(caller, edit_roles)) {
    doubts.push(
      '"edit_roles" has none of your roles: you may change this list, but no schema or table of the version',
    )
  }
  const alone = edit_roles.filter((role) => !EDITORS.includes(role))
  if (alone.length > 0) {
    doubts.push(
      `"edit_roles" are asked for besides STAGING_EDITOR: a key that has only ${alone.join(' or ')} may edit nothing`,
    )
  }
  return doubts
}
