import type {
  ClaimRightsReader,
  Credential,
  PersonalTokenStore,
  Principal,
  SessionStore,
} from '../../engine/shared/index.ts'
import type { LoginSettings } from '../config.ts'
import { setCookie } from '../http/cookies.ts'
import { SESSION_COOKIE } from '../http/token.ts'
import type { LoginProvider } from './provider.ts'

/** The part of the engine that keeps sessions and tokens of people. */
export interface People {
  readonly sessions: Pick<SessionStore, 'start' | 'end' | 'record' | 'displayName'>
  readonly tokens: Pick<PersonalTokenStore, 'check' | 'create' | 'list' | 'revoke'>
  readonly claims: Pick<ClaimRightsReader, 'absentClaims'>
}

/** How people log in at an institution, if this is set up. */
export interface Login {
  readonly settings: LoginSettings
  readonly provider: LoginProvider
  readonly people: People
}

/** Headers of responses about who is logged in. */
export const NEVER_KEPT = Object.freeze({
  'Cache-Control': 'no-store',
  Vary: 'Cookie, X-Auth-Token',
})

/** Formats the cookie of a session, which ends with the session's absolute life. */
export function sessionCookie(secret: string, { publicUrl, sessionTimes }: LoginSettings): string {
  return setCookie(SESSION_COOKIE, secret, {
    seconds: sessionTimes.absoluteSeconds,
    isSecure: publicUrl.startsWith('https:'),
  })
}

/** Builds a redirect that browsers follow with GET. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  const response = new Response(null, {
    status: 303,
    headers: { Location: location, ...NEVER_KEPT, 'Referrer-Policy': 'no-referrer' },
  })
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie)
  return response
}

/** Returns a person without rights, for the record of a log-in. */
export const principalOf = (user: string, credential: Credential): Principal => ({
  user,
  admin: false,
  projects: new Map(),
  credential,
})

/** Returns whether the person is logged in by a session, so that a token cannot make further tokens. */
export const isSession = (principal: Principal): boolean => principal.credential?.kind === 'session'
