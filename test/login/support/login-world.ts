import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explorerFolder } from '../../../bin/explorer.ts'
import type { Engine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { auditOf, loginOf, readConfig } from '../../../server/config.ts'
import { startServer } from '../../../server/main.ts'
import { openExplorer } from '../../../server/web/explorer.ts'
import { keptLog } from '../../commons/contract/fake-engine.ts'
import { freePort } from '../../free-port.ts'
import { openEngine } from '../../places.ts'
import { startProvider, type TestProvider } from './provider.ts'
import { Visitor } from './visitor.ts'

export const CLIENT_ID = 'casemill'
export const CLIENT_SECRET = 'a-secret-of-the-tests-that-is-long-enough'
/** Sent with a request as by a page of the service. */
export const OWN_PAGE = Object.freeze({ 'Sec-Fetch-Site': 'same-origin' })

/** A service with log-in at a provider on loopback. */
export interface LoginWorld extends AsyncDisposable {
  readonly address: string
  readonly provider: TestProvider
  readonly engine: Engine
  /** The time of the engine's clock. */
  readonly clock: { now: number }
  /** The lines of the log at its most verbose level. */
  readonly lines: string[]
  /** Logs an account in and returns its browser. The last response is the redirect to `next`. */
  logIn(
    account: string,
    next?: string,
    visitor?: Visitor,
  ): Promise<{ readonly visitor: Visitor; readonly next: string | undefined }>
}

const ACCOUNTS = {
  ada: { name: 'Ada Example', groups: ['readers'] },
  bob: { name: 'Bob Example', groups: [] },
}

/** Registers a service with a provider, as its operator does. */
function clientOf(address: string) {
  return {
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    redirect_uris: [`${address}/auth/login/callback`],
    post_logout_redirect_uris: [`${address}/auth/logged-out`],
    grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
    response_types: ['code'],
  }
}

interface WorldOptions {
  readonly flags?: Readonly<Record<string, unknown>>
  /** Whether ID tokens of the provider have only `sub`. */
  readonly hidesClaims?: boolean
  /** Whether the service has the explorer's pages. */
  readonly hasExplorer?: boolean
}

/** Starts a service and a provider at which people log in to it. */
export async function startLoginWorld({
  flags = {},
  hidesClaims = false,
  hasExplorer = false,
}: WorldOptions = {}): Promise<LoginWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-login-'))
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const provider = await startProvider({
    accounts: structuredClone(ACCOUNTS),
    clients: [clientOf(address)],
    hidesClaims,
  })
  const config = readConfig({
    flags: {
      port,
      logLevel: 'trace',
      drainSeconds: 0,
      publicUrl: address,
      loginIssuer: provider.issuer,
      loginClientId: CLIENT_ID,
      loginClientSecret: CLIENT_SECRET,
      ...flags,
    },
  })
  const clock = { now: Date.now() }
  const engine = await openEngine({
    dataFolder: join(folder, 'data'),
    executor: inlineExecutor,
    clock: () => new Date(clock.now),
    sessionTimes: loginOf(config)?.sessionTimes,
    audit: auditOf(config),
  })
  await engine.start()
  const { lines, log } = keptLog(config)
  const status = { commit: '880f321a', tag: '0.1.0' }
  const explorer = hasExplorer
    ? await openExplorer(await explorerFolder(new AbortController().signal))
    : undefined
  const server = await startServer({
    engine,
    config,
    status,
    log,
    explorer: async () => explorer,
  })
  return {
    address,
    provider,
    engine,
    clock,
    lines,
    async logIn(account, next, visitor = new Visitor()) {
      const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`
      const form = await visitor.follow(`${address}/auth/login${query}`)
      const end = `${address}/auth/login/callback`
      // The provider may know the browser already, and then shows no form.
      const returned = form.at.startsWith(provider.issuer)
        ? await visitor.logIn(form.at, account, (to) => to.startsWith(end))
        : undefined
      if (!returned) return { visitor, next: form.at }
      // The page itself is not loaded, except for further steps of the log-in.
      const isPage = (to: string) => !to.startsWith(`${address}/auth`) && to.startsWith(address)
      const done = await visitor.follow(returned.next ?? '', {}, isPage)
      await done.response.body?.cancel()
      return { visitor, next: (done.next ?? done.at).slice(address.length) }
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await engine.close()
      await provider.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the session that a browser has at the service. */
export const sessionOf = (visitor: Visitor, address: string): string | undefined =>
  visitor.cookies(address).get('sessionid')
