import type { Credentials } from './service.ts'

/** Name in the session storage, which the browser deletes when the tab is closed. */
const NAME = 'casemill-credentials'

/** Returns the credentials that the user asked to keep for this tab. Undefined if there are none. */
export function keptCredentials(): Credentials | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return undefined
    const { token, key } = kept as Partial<Record<keyof Credentials, unknown>>
    return typeof token === 'string' && typeof key === 'string' ? { token, key } : undefined
  } catch {
    // The browser may have no storage for this page.
    return undefined
  }
}

/** Keeps credentials for this tab. Undefined deletes those that are kept. Returns whether this was possible. */
export function keepCredentials(credentials: Credentials | undefined): boolean {
  try {
    if (credentials) sessionStorage.setItem(NAME, JSON.stringify(credentials))
    else sessionStorage.removeItem(NAME)
    return true
  } catch {
    return false
  }
}
