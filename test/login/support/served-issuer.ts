import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TestIssuer } from '../../../engine/shared/access/jwt/support/test-issuer.ts'

/** An issuer on loopback, whose tokens the test signs itself. */
export interface ServedIssuer extends AsyncDisposable {
  readonly issuer: TestIssuer
  /** Settings of a service that accepts its tokens. */
  readonly settings: Readonly<Record<string, string>>
}

export async function serveIssuer(): Promise<ServedIssuer> {
  let issuer: TestIssuer | undefined
  const server = createServer(async (request, response) => {
    const document = await issuer?.fetchDocument(issuer.url + request.url).catch(() => undefined)
    if (document === undefined) response.writeHead(404).end()
    else response.writeHead(200).end(JSON.stringify(document))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = new TestIssuer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return {
    issuer,
    settings: { CASEMILL_OIDC_ISSUERS: issuer.url, CASEMILL_OIDC_AUDIENCE: 'casemill' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
