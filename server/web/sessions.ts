import { z } from '@hono/zod-openapi'
import { html } from 'hono/html'
import type { Authenticator, Principal } from '../../engine/shared/index.ts'
import { text } from '../commons/parameter-forms.ts'
import type { Config } from '../config.ts'
import { setCookie } from '../http/cookies.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { collect, parseForm } from '../http/form.ts'
import { originOf, requireOwnPage } from '../http/origin.ts'
import { json, reply } from '../http/reply.ts'
import { SESSION_COOKIE } from '../http/token.ts'
import { FORM_PAGE_HEADERS, HTML, pageText } from './page.ts'

export interface SessionsEngine {
  readonly credentials: Pick<Authenticator, 'verify'>
}

/** A month, and never longer than its token. */
const SESSION_SECONDS = 30 * 86_400
const BODY_BYTES = 16 << 10
/** Maximum characters of `next`. It is sent in the head of a response, for which most clients accept 16 KiB. */
const MAX_NEXT_CHARACTERS = 1000

const next = z.object({
  next: text('next', {
    description: 'A page of the same host to which the browser goes afterwards.',
  }),
})
const loggedOut = { description: 'Nobody is logged in.' }
const NEVER_KEPT = Object.freeze({ 'Cache-Control': 'no-store', Vary: 'Cookie, X-Auth-Token' })

/** Endpoints to log in and out with a token in a browser, for the portal (docs/reference/sets.md). */
export function sessionEndpoints(
  { credentials }: SessionsEngine,
  config: Pick<Config, 'host' | 'port' | 'trustedProxies'>,
): readonly Endpoint[] {
  const bearer = async ({ token }: Call<unknown, unknown>) =>
    token === undefined ? undefined : credentials.verify(token)
  const session = (headers: Headers, value: string, seconds: number) =>
    setCookie(SESSION_COOKIE, value, {
      seconds,
      isSecure: originOf(headers, config).startsWith('https:'),
    })
  const common = { tags: ['system'] } as const
  return Object.freeze([
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/auth/user',
      summary: 'The user who is logged in, with the projects that the user can read',
      security: [{}, { token: [] }],
      responses: {
        200: {
          description: 'The user',
          content: {
            'application/json': z.object({
              username: z.string(),
              projects: z.object({
                gdc_ids: z.record(z.string(), z.array(z.string())),
                phs_ids: z.record(z.string(), z.array(z.string())),
              }),
            }),
          },
        },
        401: loggedOut,
      },
      async handle(call) {
        const principal = await bearer(call)
        return principal ? json(200, userOf(principal), NEVER_KEPT) : nobody()
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/auth/token/refresh',
      summary: 'The token with which the browser is logged in',
      security: [{}, { token: [] }],
      responses: {
        200: { description: 'The token', content: { 'text/plain': z.string() } },
        401: loggedOut,
      },
      async handle(call) {
        const { token = '' } = call
        if (!(await bearer(call))) return nobody()
        return reply(200, 'text/plain; charset=utf-8', token, NEVER_KEPT)
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/auth',
      summary: 'The page for logging in with a token',
      parameters: next.extend({
        error: text('error', { description: '401 after a token that was not accepted.' }),
      }),
      responses: { 200: { description: 'A page', content: { 'text/html': z.string() } } },
      async handle(call) {
        const { next: page = '', error } = await call.input()
        const refused = html`<p role="alert">That token is not accepted: it is unknown, revoked or expired.</p>`
        const content = html`${error === undefined ? '' : refused}
<form method="post" action="/auth">
<p><label>Token<br><input type="password" name="token" required autocomplete="off" size="60"></label></p>
<input type="hidden" name="next" value="${page}">
<p><button>Log in</button></p>
</form>
<p class="soft">Whoever runs this service makes tokens. One is kept by this browser until you log out.</p>`
        return reply(200, HTML, await pageText({ title: 'Log in', content }), {
          ...FORM_PAGE_HEADERS,
          'Cache-Control': 'no-store',
        })
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['POST'],
      path: '/auth',
      summary: 'Log in with a token, from the page at this path',
      content: { 'application/x-www-form-urlencoded': z.looseObject({}) },
      responses: {
        303: { description: 'To the page in `next`, or back to this one.' },
        403: { description: 'The form was sent from another site.' },
      },
      async handle(call) {
        const { headers } = call
        requireOwnPage(headers)
        const form = collect(parseForm(await call.body(BODY_BYTES)))
        const token = typeof form.token === 'string' ? form.token.trim() : ''
        const to = ownPath(typeof form.next === 'string' ? form.next : undefined, headers)
        const principal = await credentials.verify(token)
        // The cookie can only be a token, which lives long enough for a session.
        if (principal?.credential?.kind !== 'token') {
          const back = `/auth?error=401&next=${encodeURIComponent(to)}`
          return seeOther(back)
        }
        return seeOther(to, session(headers, token, SESSION_SECONDS))
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/auth/logout',
      summary: 'Log out',
      parameters: next,
      responses: { 303: { description: 'To the page in `next`.' } },
      async handle(call) {
        const { next: page } = await call.input()
        return seeOther(ownPath(page, call.headers), session(call.headers, '', 0))
      },
    }),
  ])
}

function userOf({ user, projects }: Principal) {
  const ids = Array.from(projects, ([id, roles]) => [id, [...new Set(['read', ...roles])]])
  return { username: user, projects: { gdc_ids: Object.fromEntries(ids), phs_ids: {} } }
}

/** 401 means that nobody is logged in. Without `WWW-Authenticate`, browsers do not prompt for a password. */
function nobody(): Response {
  const message = 'nobody is logged in; log in at /auth'
  return json(401, { error: message, message }, NEVER_KEPT)
}

function seeOther(location: string, cookie?: string): Response {
  const headers = { Location: location, ...NEVER_KEPT, ...(cookie && { 'Set-Cookie': cookie }) }
  return new Response(null, { status: 303, headers })
}

/** Returns the path of a page on this host. Returns `/` for a page on another host: nobody is sent there. */
function ownPath(page: string | undefined, headers: Headers): string {
  if (page !== undefined && page.length > MAX_NEXT_CHARACTERS) return '/'
  const host = headers.get('host')?.toLowerCase() ?? 'localhost'
  const url = URL.parse(page ?? '/', `http://${host}/`)
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== URL.parse(`http://${host}/`)?.host) {
    return '/'
  }
  // Two slashes would begin the name of another host.
  return `${url.pathname.replace(/^\/+/, '/')}${url.search}${url.hash}`
}
