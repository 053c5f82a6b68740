import { createHash, randomBytes } from 'node:crypto'
import { RESOURCE, type TestProvider } from './provider.ts'
import { Visitor } from './visitor.ts'

/** Where the provider sends the code. Nothing listens there: the code is taken from the redirect. */
const CALLBACK = 'http://127.0.0.1:1/callback'
const CLIENT = 'scripts'

/** Lets an account log in at the provider, and returns a JWT access token of the account. */
export async function accessTokenOf(provider: TestProvider, account: string): Promise<string> {
  provider.register({
    client_id: CLIENT,
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
  })
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: CLIENT,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    resource: RESOURCE,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const visitor = new Visitor()
  const isCallback = (address: string) => address.startsWith(CALLBACK)
  const form = await visitor.follow(`${provider.issuer}/auth?${query}`, {}, isCallback)
  const { next = '' } = await visitor.logIn(form.at, account, isCallback)
  const code = new URL(next).searchParams.get('code') ?? ''
  const response = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: CLIENT,
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      resource: RESOURCE,
    }),
  })
  const answer = (await response.json()) as { readonly access_token?: string }
  if (answer.access_token === undefined) throw new Error(`no token: ${JSON.stringify(answer)}`)
  return answer.access_token
}
