import { EngineError } from '../errors.ts'
import { nearestOf } from '../input/near-name.ts'

/** Roles of a registry key. Reading needs none of them (registry.md 1.1). */
export const ROLES = Object.freeze([
  'ADMIN',
  'STAGING_ADMIN',
  'STAGING_EDITOR',
  'STAGING_BETA_VIEW',
  'RX_EDITOR',
  'GLOSSARY_EDITOR',
  'DISEASE_EDITOR',
  'NDC_EDITOR',
  'HCPCS_EDITOR',
] as const)

export type Role = (typeof ROLES)[number]

/** The owner of a registry key. Every key may read and stage; roles add further rights. */
export interface Caller {
  /** Name that histories record. */
  readonly user: string
  /** Roles granted to the key. To test for a role, use hasRole, because some roles include others. */
  readonly roles: ReadonlySet<Role>
}

/** Maps a role to the role that includes it. ADMIN includes all (registry.md 7.4). */
const INCLUDED_IN: Readonly<Partial<Record<Role, Role>>> = Object.freeze({
  STAGING_EDITOR: 'STAGING_ADMIN',
})

/** Returns whether the caller has the role itself or a role that includes it. */
export function hasRole({ roles }: Caller, role: Role): boolean {
  const including = INCLUDED_IN[role]
  return roles.has('ADMIN') || roles.has(role) || (including !== undefined && roles.has(including))
}

/**
 * Checks that the caller has a role.
 * @throws EngineError `forbidden` if the caller does not
 */
export function requireRole(caller: Caller, role: Role): void {
  if (hasRole(caller, role)) return
  throw new EngineError('forbidden', `this needs the role ${role}, which the key does not have`)
}

/**
 * Returns the roles without duplicates, in the order of ROLES.
 * @throws EngineError `bad_input` for an unknown role
 */
export function readRoles(names: readonly string[]): readonly Role[] {
  const unknown = names.find((name) => !ROLES.some((role) => role === name))
  if (unknown !== undefined) {
    throw new EngineError(
      'bad_input',
      `role ${JSON.stringify(unknown)} is unknown; use one of ${ROLES.join(', ')}, or none for a reader${nearestOf(unknown, ROLES)}`,
      { at: 'role' },
    )
  }
  return ROLES.filter((role) => names.includes(role))
}

/** Returns the roles in a stored list. A newer version may have stored roles that this version does not have. */
export function storedRoles(names: unknown): readonly Role[] {
  return ROLES.filter((role) => Array.isArray(names) && names.includes(role))
}
