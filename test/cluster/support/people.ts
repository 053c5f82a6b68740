import { setTimeout as sleep } from 'node:timers/promises'
import { accessTokenOf } from '../../login/support/access-token.ts'
import { startProvider, type TestProvider } from '../../login/support/provider.ts'
import { Visitor } from '../../login/support/visitor.ts'
import { askOnce, insist, type Patience, type Question, sumOf, Unanswered } from './client.ts'

/** The service's address for browsers. Nothing listens there: requests go to the balancer. */
const PUBLIC_URL = 'http://127.0.0.1:8000'
const CALLBACK = `${PUBLIC_URL}/auth/login/callback`
const CLIENT = { id: 'casemill', secret: 'a-secret-of-the-tests-that-is-long-enough' }
const PERSON = 'ada'
const PAUSE_MILLISECONDS = 1000
/** How long a node that shares a database may use a token or session that it has cached. */
const CACHED_MILLISECONDS = 5000
/** A JWT is good for ten minutes; a node's clock may be five minutes ahead. */
const RENEWED_MILLISECONDS = 120_000

/** An institution of one person, and the settings of nodes that let its people in. */
export interface Institution {
  readonly provider: TestProvider
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
}

export async function startInstitution(): Promise<Institution> {
  const provider = await startProvider({
    accounts: { [PERSON]: { name: 'Ada Example', groups: ['readers'] } },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
  })
  return {
    provider,
    port: Number(new URL(provider.issuer).port),
    settings: {
      CASEMILL_PUBLIC_URL: PUBLIC_URL,
      CASEMILL_LOGIN_ISSUER: provider.issuer,
      CASEMILL_LOGIN_CLIENT_ID: CLIENT.id,
      CASEMILL_LOGIN_CLIENT_SECRET: CLIENT.secret,
      CASEMILL_OIDC_ISSUERS: provider.issuer,
      CASEMILL_OIDC_AUDIENCE: 'urn:casemill',
      // The clock of a node may be wrong.
      CASEMILL_OIDC_SKEW_SECONDS: '300',
    },
  }
}

export interface PeopleReport extends Patience {
  logins: number
  /** Tokens that were made, used and revoked. */
  revoked: number
  /** Controlled files that were read with a JWT. */
  byJwt: number
  readonly wrong: string[]
  readonly lost: string[]
}

interface PeopleOptions {
  readonly provider: TestProvider
  /** Addresses of the nodes themselves. */
  readonly nodes: readonly string[]
  /** A controlled file, and the hash of its bytes. */
  readonly file: { readonly path: string; readonly sum: string }
  readonly seconds: number
  readonly signal: AbortSignal
}

/**
 * A person logs in, makes a token, reads a controlled file with it, revokes it, and logs out, until the signal ends
 * it. What was revoked or ended must be refused by every node that answers, after 5 s at the latest.
 */
export async function visit(
  origin: string,
  report: PeopleReport,
  { provider, nodes, file, seconds, signal }: PeopleOptions,
): Promise<void> {
  const tell = (question: Question) => insist(() => askOnce(origin, question), seconds, report)
  const refusedByAll = async (question: Question, what: string) => {
    const since = performance.now()
    await Promise.all(
      nodes.map(async (node) => {
        for (;;) {
          const isLate = performance.now() - since > CACHED_MILLISECONDS
          const status = await statusOf(node, question)
          // A node without the database cannot tell; requests of a controlled file are refused by 403, others by 401.
          if (status === undefined || status === 401 || status === 403) return
          if (isLate || status >= 400) {
            report.wrong.push(`${what} is ${status}`)
            return
          }
          await sleep(PAUSE_MILLISECONDS)
        }
      }),
    )
  }
  const read = async (token: string, what: string) => {
    const { status, bytes } = await tell({ path: file.path, headers: { 'X-Auth-Token': token } })
    if (status === 200 && sumOf(bytes) === file.sum) return true
    report.wrong.push(`${what}: ${status} ${bytes.toString('latin1', 0, 200)}`)
    return false
  }
  const renew = () =>
    insist(() => accessTokenOf(provider, PERSON).catch(unanswered), seconds, report)
  let jwt = await renew()
  let renewed = performance.now()
  while (!signal.aborted) {
    try {
      if (performance.now() - renewed > RENEWED_MILLISECONDS) {
        jwt = await renew()
        renewed = performance.now()
      }
      if (await read(jwt, 'a JWT')) report.byJwt++
      const session = await insist(() => logIn(origin).catch(unanswered), seconds, report)
      report.logins++
      const own = {
        Cookie: `sessionid=${session}`,
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/json',
      }
      const user = await tell({ path: '/auth/user', headers: own })
      if (user.status !== 200) report.wrong.push(`a session: ${user.status} ${user.bytes}`)
      const body = JSON.stringify({ name: 'cluster', days: 1 })
      const made = await tell({ method: 'POST', path: '/auth/tokens', headers: own, body })
      if (made.status !== 201) throw new Error(`a token: ${made.status} ${made.bytes}`)
      const { id, token } = JSON.parse(made.bytes.toString())
      await read(token, 'a token of a person')
      const gone = await tell({ method: 'DELETE', path: `/auth/tokens/${id}`, headers: own })
      // A request whose answer was lost has revoked it.
      if (gone.status !== 204 && gone.status !== 404) {
        throw new Error(`revoke: ${gone.status} ${gone.bytes}`)
      }
      const headers = { 'X-Auth-Token': token }
      await refusedByAll({ path: file.path, headers }, 'a revoked token')
      report.revoked++
      const left = await tell({ path: '/auth/logout', headers: own })
      if (left.status >= 400 && left.status !== 401) {
        report.wrong.push(`log-out: ${left.status} ${left.bytes}`)
      }
      await refusedByAll({ path: '/auth/user', headers: own }, 'an ended session')
    } catch (error) {
      report.lost.push(error instanceof Error ? error.message : String(error))
    }
    await sleep(PAUSE_MILLISECONDS)
  }
}

/** Returns the status of an answer of one node, if it gives one. */
async function statusOf(node: string, question: Question): Promise<number | undefined> {
  try {
    return (await askOnce(node, question)).status
  } catch (error) {
    if (error instanceof Unanswered) return undefined
    throw error
  }
}

/** Logs the person in as a browser does, and returns the session. @throws Unanswered */
async function logIn(origin: string): Promise<string> {
  const visitor = new Visitor()
  const begin = await visitor.ask(`${origin}/auth/login`)
  await begin.body?.cancel()
  const form = await visitor.follow(locationOf(begin))
  const { next = '' } = await visitor.logIn(form.at, PERSON, (to) => to.startsWith(CALLBACK))
  const { search } = new URL(next)
  const back = await visitor.ask(`${origin}/auth/login/callback${search}`)
  await back.body?.cancel()
  const session = visitor.cookies(origin).get('sessionid')
  // A code counts once, so a log-in whose answer is lost begins again.
  if (session === undefined) throw new Unanswered(`log-in: ${back.status} ${locationOf(back)}`)
  return session
}

function locationOf(response: Response): string {
  const location = response.headers.get('location')
  if (location === null) throw new Unanswered(`log-in: ${response.status}`)
  return location
}

function unanswered(cause: unknown): never {
  throw new Unanswered(`log-in: ${cause}`, { cause })
}
