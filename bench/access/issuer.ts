import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** An issuer of JWTs in this process, with one key. */
export interface Issuer {
  readonly url: string
  /** Settings of a service that accepts its tokens, and sessions of people who logged in there. */
  readonly settings: Readonly<Record<string, string>>
  /** Signs a token of about the size that institutions issue, valid for a day. */
  sign(groups: readonly string[]): Promise<string>
  close(): void
}

const AUDIENCE = 'casemill'

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = 'bench'
  const keys = [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }]
  const server = createServer((request, response) => {
    const configuration = { issuer: url, jwks_uri: `${url}/keys` }
    response.end(JSON.stringify(request.url === '/keys' ? { keys } : configuration))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    settings: {
      CASEMILL_OIDC_ISSUERS: url,
      CASEMILL_OIDC_AUDIENCE: AUDIENCE,
      CASEMILL_LOGIN_ISSUER: url,
      CASEMILL_LOGIN_CLIENT_ID: 'bench',
      CASEMILL_LOGIN_CLIENT_SECRET: 'secret of the bench',
      CASEMILL_PUBLIC_URL: 'http://localhost',
    },
    sign: (groups) =>
      new SignJWT({ groups, scope: 'openid profile email', azp: 'a-client', sid: 'x'.repeat(36) })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
        .setIssuer(url)
        .setAudience(AUDIENCE)
        .setSubject('0f7d3f3e-4c43-4d5b-9f4e-0a6b1c2d3e4f')
        .setJti('c0ffee00-1111-4222-8333-444455556666')
        .setIssuedAt()
        .setExpirationTime('1d')
        .sign(privateKey),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
