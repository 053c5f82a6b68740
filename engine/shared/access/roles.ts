import { EngineError } from '../errors.ts'

/** What a key of the registry interface may be allowed beyond reading (registry.md 1.1). */
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

/** Who asks. Any key reads and stages; its roles say what else it may do. */
export interface Caller {
  /** What histories call them. */
  readonly user: string
  /** As given to the key; see hasRole. */
  readonly roles: ReadonlySet<Role>
}

/** The role that includes another one; ADMIN includes all (registry.md 7.4). */
const INCLUDED_IN: Readonly<Partial<Record<Role, Role>>> = Object.freeze({
  STAGING_EDITOR: 'STAGING_ADMIN',
})

/** Whether the caller has the role, or one that includes it. */
export function hasRole({ roles }: Caller, role: Role): boolean {
  const including = INCLUDED_IN[role]
  return roles.has('ADMIN') || roles.has(role) || (including !== undefined && roles.has(including))
}

/** @throws EngineError forbidden */
export function requireRole(caller: Caller, role: Role): void {
  if (hasRole(caller, role)) return
  throw new EngineError('forbidden', `this needs the role ${role}, which the key does not have`)
}
