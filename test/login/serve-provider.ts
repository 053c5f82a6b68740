import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startProvider } from './support/provider.ts'

// Serves the provider of the tests on loopback, to try log-in at an institution (docs/how-to/log-in.md). Anyone who
// can reach it can be anyone, so it is for synthetic data on one machine only.

const { values } = parseArgs({
  options: {
    service: { type: 'string', default: 'http://127.0.0.1:8080' },
    port: { type: 'string', default: '0' },
  },
})

const provider = await startProvider({
  port: Number(values.port),
  accounts: {
    ada: { name: 'Ada Example', email: 'ada@example.org', groups: ['readers'] },
    bob: { name: 'Bob Example', email: 'bob@example.org', groups: [] },
  },
  clients: [
    {
      client_id: 'casemill',
      client_secret: 'only-for-trying-it-out',
      redirect_uris: [`${values.service}/auth/login/callback`],
      post_logout_redirect_uris: [`${values.service}/auth/logged-out`],
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
    },
  ],
})
console.log(provider.issuer)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await provider.close()
