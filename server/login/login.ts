import { z } from '@hono/zod-openapi'
import { html } from 'hono/html'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { ownPath } from '../http/own-path.ts'
import { reply } from '../http/reply.ts'
import { sessionOf } from '../http/token.ts'
import { HTML, PAGE_HEADERS, pageText } from '../web/page.ts'
import { beginLogin, LoginCookie } from './login-cookie.ts'
import { next } from './next-parameter.ts'
import { type Login, NEVER_KEPT, principalOf, seeOther, sessionCookie } from './people.ts'
import { CALLBACK_PATH, LOGGED_OUT_PATH } from './provider.ts'

const returned = (description: string) => z.string().max(4096).optional().describe(description)
const away = { description: 'The institution does not answer; the page says so.' }

/** Endpoints by which people log in at an institution, by OpenID Connect with a code and PKCE. */
export function loginEndpoints({ settings, provider, people }: Login): readonly Endpoint[] {
  const cookie = new LoginCookie(settings.publicUrl)
  const common = { tags: ['system'] } as const
  const refused = (page: string) =>
    seeOther(`/auth?error=401&next=${encodeURIComponent(page)}`, [cookie.end()])
  return Object.freeze([
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/auth/login',
      summary: 'Log in at the institution',
      parameters: z.object({ next }),
      responses: { 303: { description: 'To the institution.' }, 503: away },
      handle: (call) =>
        orPage(async () => {
          const { next: page } = await call.input()
          const begun = beginLogin(ownPath(page, call.headers))
          const address = await provider.loginAddress(begun)
          return seeOther(address.href, [cookie.set(begun)])
        }),
    }),
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: CALLBACK_PATH,
      summary: 'The end of a log-in, to which the institution sends the browser',
      parameters: z.object({
        code: returned('A code that is valid once, for this service.'),
        state: returned('The value with which the log-in began.'),
        iss: returned('The issuer.'),
        error: returned('Why nobody is logged in.'),
        error_description: returned('The same for people. It is not shown.'),
        session_state: returned('Ignored.'),
      }),
      responses: {
        303: { description: 'To the page from which the log-in began, or to `/auth?error=401`.' },
        503: away,
      },
      handle: (call) =>
        orPage(async () => {
          const begun = cookie.read(call.headers)
          const given = call.query()
          // Without the cookie, another browser began the log-in, or nobody did.
          if (!begun || given.state !== begun.state) return refused('/')
          const page = ownPath(begun.next, call.headers)
          const person = await provider.complete(given, begun, call.client)
          if (person === 'refused') return refused(page)
          if (person === 'again') return seeOther(`/auth/login?next=${encodeURIComponent(page)}`)
          // A former session of this browser ends, so that nothing of it is left.
          const former = sessionOf(call.headers)
          if (former !== undefined) await people.sessions.end(former)
          const { id, secret, user } = await people.sessions.start(person)
          const principal = principalOf(user, { kind: 'session', id })
          call.granted({ principal, isChange: true })
          return seeOther(page, [cookie.end(), sessionCookie(secret, settings)])
        }),
    }),
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: LOGGED_OUT_PATH,
      summary: 'The end of a log-out, to which the institution sends the browser',
      parameters: z.object({ state: returned('A page of the same host.') }),
      responses: { 303: { description: 'To the page from which the log-out began.' } },
      handle: (call) => seeOther(ownPath(call.query().state, call.headers)),
    }),
  ])
}

/** Shows a page to people if the institution does not answer. */
async function orPage(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (cause) {
    const isAway = cause instanceof EngineError && /^(unavailable|busy)$/.test(cause.code)
    if (!isAway) throw cause
    const content = html`<p role="alert">Nobody can log in at the moment: ${cause.message}.</p>
<p><a href="/auth">Back to the page for logging in</a></p>`
    return reply(503, HTML, await pageText({ title: 'Log in', content }), {
      ...PAGE_HEADERS,
      ...NEVER_KEPT,
      'Retry-After': String(cause.retryAfterSeconds ?? 5),
    })
  }
}
