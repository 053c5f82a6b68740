import { type Caller, hasRole, type Role } from '../../../shared/access/roles.ts'
import { EngineError } from '../../../shared/errors.ts'

export {
  type Caller,
  hasRole,
  ROLES,
  type Role,
  requireRole,
} from '../../../shared/access/roles.ts'

/** Returns whether the caller has one of the roles. If the list is empty, any caller passes. */
export function hasOneOf(caller: Caller, roles: readonly Role[]): boolean {
  return roles.length === 0 || roles.some((role) => hasRole(caller, role))
}

/**
 * Requires one of the roles.
 * @throws EngineError `forbidden` if the caller has none of them
 */
export function requireOneOf(caller: Caller, roles: readonly Role[]): void {
  if (hasOneOf(caller, roles)) return
  const wanted = roles.join(', ')
  throw new EngineError('forbidden', `editing this version needs one of the roles ${wanted}`)
}
