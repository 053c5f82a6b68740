/// <reference path="./oidc-provider.d.ts" />
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { Provider } from 'oidc-provider'

// A provider of OpenID Connect in the test's own process: npm's oidc-provider, which is certified. Its log-in form
// asks for the name of an account only.

/** Claims of each account besides `sub`, which is the name of the account. */
type Accounts = Record<string, Readonly<Record<string, unknown>>>

interface ProviderClient {
  readonly client_id: string
  readonly client_secret?: string
  readonly redirect_uris: readonly string[]
  readonly post_logout_redirect_uris?: readonly string[]
  readonly [metadata: string]: unknown
}

interface ProviderOptions {
  readonly accounts: Accounts
  readonly clients?: readonly ProviderClient[]
  /** Names of claims that ID tokens have, in addition to `sub`. */
  readonly claims?: readonly string[]
  /** Whether ID tokens have only `sub`, and claims are at the provider's endpoint for them. */
  readonly hidesClaims?: boolean
  readonly port?: number
}

/** What the provider does with the next requests. */
type ProviderMood = 'well' | 'silent' | 'garbage' | 'failing'

export interface TestProvider extends AsyncDisposable {
  readonly issuer: string
  /** Paths of all requests so far, without the query. */
  readonly requests: string[]
  /** Accounts can be changed while the provider runs. */
  readonly accounts: Accounts
  /** The private keys with which tokens are signed now, for forged tokens. */
  readonly keys: readonly JWK[]
  mood: ProviderMood
  /** ID token with which the next requests for tokens are answered, if it is set. */
  forgedIdToken: string | undefined
  /** Answers the next requests for claims instead of the provider, if it is set. */
  forgedUserInfo: ((response: ServerResponse) => void) | undefined
  /** Registers a client, or replaces the one of the same id. */
  register(client: ProviderClient): void
  /** Signs with new keys from now on, and removes the earlier ones. */
  rotateKeys(): Promise<void>
  close(): Promise<void>
}

/** Audience of the JWT access tokens that the provider issues to clients that ask for this resource. */
export const RESOURCE = 'urn:casemill'

/** Starts a provider on loopback. */
export async function startProvider({
  accounts,
  clients: given = [],
  claims = ['groups', 'name', 'email'],
  hidesClaims = false,
  port = 0,
}: ProviderOptions): Promise<TestProvider> {
  const clients = new Map(given.map((client) => [client.client_id, client]))
  const requests: string[] = []
  let keys = await newKeys()
  let mood: ProviderMood = 'well'
  let forgedIdToken: string | undefined
  let forgedUserInfo: TestProvider['forgedUserInfo']
  let current: { readonly provider: Provider; readonly serve: ReturnType<Provider['callback']> }
  const held = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? '', 'http://localhost').pathname)
    if (mood === 'silent') {
      held.add(response)
      return
    }
    if (mood === 'garbage') {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('<html>{"issuer":')
      return
    }
    if (mood === 'failing') {
      response.writeHead(500).end('{}')
      return
    }
    if (request.url === '/token' && forgedIdToken !== undefined) {
      const body = { access_token: 'a', token_type: 'Bearer', id_token: forgedIdToken }
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
      return
    }
    if (request.url === '/me' && forgedUserInfo) {
      held.add(response)
      forgedUserInfo(response)
      return
    }
    if (request.url?.startsWith('/interaction/')) {
      interact(current.provider, request, response).catch((cause: unknown) => {
        response.writeHead(400).end(String(cause))
      })
    } else current.serve(request, response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const renew = () => {
    const provider = new Provider(
      issuer,
      configurationOf({ accounts, clients, keys, claims, hidesClaims }),
    )
    current = { provider, serve: provider.callback() }
  }
  renew()
  const close = async () => {
    for (const response of held) response.destroy()
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  return {
    issuer,
    requests,
    accounts,
    get keys() {
      return keys
    },
    get forgedIdToken() {
      return forgedIdToken
    },
    set forgedIdToken(next) {
      forgedIdToken = next
    },
    get forgedUserInfo() {
      return forgedUserInfo
    },
    set forgedUserInfo(next) {
      forgedUserInfo = next
    },
    get mood() {
      return mood
    },
    set mood(next) {
      mood = next
      if (next === 'silent') return
      for (const response of held) response.destroy()
      held.clear()
    },
    register(client) {
      clients.set(client.client_id, client)
      renew()
    },
    async rotateKeys() {
      keys = await newKeys()
      renew()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Configured {
  readonly accounts: Accounts
  readonly clients: ReadonlyMap<string, ProviderClient>
  readonly keys: readonly JWK[]
  readonly claims: readonly string[]
  readonly hidesClaims: boolean
}

function configurationOf({ accounts, clients, keys, claims, hidesClaims }: Configured): object {
  return {
    clients: [...clients.values()],
    jwks: { keys },
    cookies: { keys: ['of the tests'] },
    // The scope openid always puts its claims into the ID token. The provider's endpoint has those of the others.
    claims: hidesClaims
      ? { openid: ['sub'], profile: claims, email: [] }
      : { openid: ['sub', ...claims], profile: [], email: [] },
    conformIdTokenClaims: hidesClaims,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      // An access token for a resource is not accepted at the provider itself.
      resourceIndicators: {
        enabled: !hidesClaims,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'openid',
          audience: RESOURCE,
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (_: unknown, token: { readonly accountId?: string }) =>
      Object.fromEntries(
        Object.entries(accounts[token.accountId ?? ''] ?? {}).filter(([name]) =>
          claims.includes(name),
        ),
      ),
    interactions: {
      url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}`,
    },
    findAccount: (_: unknown, sub: string) => {
      if (!Object.hasOwn(accounts, sub)) return undefined
      return { accountId: sub, claims: () => ({ sub, ...accounts[sub] }) }
    },
    // Everybody consents to what the client asks for.
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      })
      grant.addOIDCScope('openid profile email')
      grant.addResourceScope(RESOURCE, 'openid')
      await grant.save()
      return grant
    },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      ClientCredentials: 600,
      DeviceCode: 600,
      Grant: 3600,
      IdToken: 600,
      Interaction: 600,
      Session: 3600,
    },
  }
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
    readonly provider: {
      readonly Grant: new (
        of: object,
      ) => {
        addOIDCScope(scope: string): void
        addResourceScope(resource: string, scope: string): void
        save(): Promise<string>
      }
    }
  }
}

/** Answers the log-in form: a page with a field for the name of the account, and its submission. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { uid } = await provider.interactionDetails(request, response)
  if (request.method !== 'POST') {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>The institution</title>
<h1>The institution</h1>
<form method="post" action="/interaction/${uid}">
<label>Account <input name="account" autofocus></label>
<button>Log in</button>
<button name="cancelled" value="yes">Cancel</button>
</form></html>`)
    return
  }
  const form = new URLSearchParams(await text(request))
  const result = form.has('cancelled')
    ? { error: 'access_denied', error_description: 'the person cancelled' }
    : { login: { accountId: form.get('account') } }
  await provider.interactionFinished(request, response, result)
}

async function newKeys(): Promise<JWK[]> {
  const algorithms = ['RS256', 'ES256'] as const
  return Promise.all(
    algorithms.map(async (alg) => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true })
      const jwk = await exportJWK(privateKey)
      return { ...jwk, alg, use: 'sig', kid: crypto.randomUUID() }
    }),
  )
}
