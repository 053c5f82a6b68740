import { z } from '@hono/zod-openapi'
import { html } from 'hono/html'
import type { Authenticator, Principal } from '../../engine/shared/index.ts'
import { text } from '../commons/parameter-forms.ts'
import type { Config } from '../config.ts'
import { setCookie } from '../http/cookies.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { collect, parseForm } from '../http/form.ts'
import { originOf, requireOwnPage, requireSentByOwnPage } from '../http/origin.ts'
import { ownPath } from '../http/own-path.ts'
import { json, reply } from '../http/reply.ts'
import { SESSION_COOKIE, sentToken, sessionOf } from '../http/token.ts'
import { FORM_PAGE_HEADERS, HTML, pageText } from '../web/page.ts'
import { next } from './next-parameter.ts'
import { isSession, type Login, NEVER_KEPT, seeOther } from './people.ts'

export interface SessionsEngine {
  readonly credentials: Pick<Authenticator, 'verify'>
}

/** A month, and never longer than its token. */
const SESSION_SECONDS = 30 * 86_400
const BODY_BYTES = 16 << 10

const nextPage = z.object({ next })
const loggedOut = { description: 'Nobody is logged in.' }
/** Name of the token that `/auth/token/refresh` makes for a person who is logged in at an institution. */
const PORTAL_TOKEN = 'portal'

/**
 * Endpoints to log in and out in a browser, for the portal (docs/reference/sets.md): with a token, and at an
 * institution if that is set up.
 */
export function sessionEndpoints(
  { credentials }: SessionsEngine,
  config: Pick<Config, 'host' | 'port' | 'trustedProxies'>,
  login?: Login,
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
        if (!principal) return nobody()
        const name = isSession(principal)
          ? await login?.people.sessions.displayName(principal.user)
          : undefined
        return json(200, userOf(principal, name), NEVER_KEPT)
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/auth/token/refresh',
      summary: 'The token with which the browser is logged in',
      ...(login && { description: 'A person who is logged in at an institution gets a new one.' }),
      security: [{}, { token: [] }],
      responses: {
        200: { description: 'The token', content: { 'text/plain': z.string() } },
        401: loggedOut,
        ...(login && { 403: { description: 'No page of this service sent the request.' } }),
      },
      async handle(call) {
        const { token = '' } = call
        const principal = await bearer(call)
        if (!principal) return nobody()
        const isByCookie = sentToken(call.headers) === undefined
        if (login && isByCookie) requireSentByOwnPage(call.headers)
        const isNew = login !== undefined && isSession(principal)
        const sent = isNew ? await portalToken(login, principal.user) : token
        if (isNew) call.granted({ principal, isChange: true })
        return reply(200, 'text/plain; charset=utf-8', sent, NEVER_KEPT)
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/auth',
      summary: 'The page for logging in with a token',
      parameters: nextPage.extend({
        error: text('error', { description: '401 after a token that was not accepted.' }),
      }),
      responses: { 200: { description: 'A page', content: { 'text/html': z.string() } } },
      async handle(call) {
        const { next: page = '', error } = await call.input()
        const refused = html`<p role="alert">${login ? NOT_LOGGED_IN : NO_TOKEN}</p>`
        const content = html`${error === undefined ? '' : refused}
${login ? institutionLink(ownPath(page, call.headers)) : ''}
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
        // The browser forgets the session of a person, so it ends.
        const former = sessionOf(headers)
        if (login && former !== undefined) await login.people.sessions.end(former)
        return seeOther(to, [session(headers, token, SESSION_SECONDS)])
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/auth/logout',
      summary: 'Log out',
      parameters: nextPage,
      responses: {
        303: { description: 'To the page in `next`.' },
        ...(login && { 403: { description: 'No page of this service sent the request.' } }),
      },
      async handle(call) {
        const { next: page } = await call.input()
        const to = ownPath(page, call.headers)
        const end = [session(call.headers, '', 0)]
        const secret = sessionOf(call.headers)
        if (!login || secret === undefined) return seeOther(to, end)
        // Without this, any page could log people out.
        requireSentByOwnPage(call.headers)
        const wasOpen = await login.people.sessions.end(secret)
        const address = wasOpen ? await login.provider.logoutAddress(to) : undefined
        return seeOther(address?.href ?? to, end)
      },
    }),
  ])
}

const NO_TOKEN = 'That token is not accepted: it is unknown, revoked or expired.'
const NOT_LOGGED_IN =
  'You are not logged in: the institution did not confirm it, or the token is unknown, revoked or expired.'

const institutionLink = (
  page: string,
) => html`<p><a href="/auth/login?next=${encodeURIComponent(page)}">Log in at your institution</a></p>
<p>Or use a token:</p>`

/** Makes the token that a person saves from the portal. It can only read, and the former one ends. */
async function portalToken({ people }: Login, user: string): Promise<string> {
  const { secret } = await people.tokens.create(user, {
    name: PORTAL_TOKEN,
    readOnly: true,
    replaces: true,
  })
  return secret
}

function userOf({ user, projects }: Principal, name = user) {
  const ids = Array.from(projects, ([id, roles]) => [id, [...new Set(['read', ...roles])]])
  return { username: name, projects: { gdc_ids: Object.fromEntries(ids), phs_ids: {} } }
}

/** 401 means that nobody is logged in. Without `WWW-Authenticate`, browsers do not prompt for a password. */
function nobody(): Response {
  const message = 'nobody is logged in; log in at /auth'
  return json(401, { error: message, message }, NEVER_KEPT)
}
