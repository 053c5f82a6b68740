import type { Caller, Role } from '../roles.ts'

export function callerOf(...roles: readonly Role[]): Caller {
  return { user: roles.join('+') || 'reader', roles: new Set(roles) }
}
