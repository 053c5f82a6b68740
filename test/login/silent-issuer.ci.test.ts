import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchDocument } from '../../bin/remote/issuer-documents.ts'
import { createApp } from '../../server/app.ts'
import { jwtRulesOf, readConfig } from '../../server/config.ts'
import { createMetrics } from '../../server/http/metrics.ts'
import { fakeStatus, keptLog } from '../commons/contract/fake-engine.ts'
import {
  idOf,
  recordOf,
  SURROUNDINGS,
  someBytes,
} from '../commons/contract/support/download-records.ts'
import { type DownloadWorld, openWorld } from '../commons/contract/support/download-world.ts'
import { accessTokenOf } from './support/access-token.ts'
import { RESOURCE, startProvider, type TestProvider } from './support/provider.ts'

// An issuer that accepts connections and says nothing. Only its own tokens wait for it, for a bounded time.

const FILE = { id: idOf(1), name: 'closed.bam', bytes: someBytes(4000, 1) }
const RECORDS = {
  ...SURROUNDINGS,
  files: [recordOf(FILE, { access: 'controlled', acl: ['ALPHA-1'] })],
}
const AT_ONCE = 100

let provider: TestProvider
let world: DownloadWorld
let app: ReturnType<typeof createApp>
let lines: readonly string[]
let jwt = ''

beforeAll(async () => {
  provider = await startProvider({ accounts: { ada: { groups: ['readers'] } } })
  jwt = await accessTokenOf(provider, 'ada')
  const environment = { CASEMILL_OIDC_ISSUERS: provider.issuer, CASEMILL_OIDC_AUDIENCE: RESOURCE }
  const config = readConfig({ environment })
  world = await openWorld(RECORDS, { jwt: jwtRulesOf(config, fetchDocument) })
  await world.store(FILE)
  const { engine } = world
  const kept = keptLog(config)
  lines = kept.lines
  const metrics = createMetrics(engine)
  app = createApp({ engine, config, log: kept.log, metrics, status: fakeStatus })
})
afterAll(async () => {
  await world.close()
  await provider.close()
})

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await app.request(path, { headers })
  await response.arrayBuffer()
  return response
}

test('its tokens get 503 after one fetch, and everybody else is answered meanwhile', async () => {
  const { secret } = await world.engine.shared.tokens.create({
    user: 'ada',
    projects: ['ALPHA-1'],
  })
  provider.mood = 'silent'
  const before = provider.requests.length
  let answered = 0
  const waiting = Array.from({ length: AT_ONCE }, async () => {
    const { status, headers } = await get(`/data/${FILE.id}`, { authorization: `Bearer ${jwt}` })
    answered++
    return [status, headers.get('retry-after')]
  })
  await expect.poll(() => provider.requests.length - before).toBe(1)
  expect((await get(`/data/${FILE.id}`, { 'x-auth-token': secret })).status).toBe(200)
  expect((await get('/files?size=1')).status).toBe(200)
  // The fetch is still in progress.
  expect(answered).toBe(0)
  for (const one of await Promise.all(waiting)) expect(one).toEqual([503, '60'])
  expect(provider.requests.length - before).toBe(1)
  // The operator is told once. Requests that anyone can send are not logged as failures.
  expect(lines.filter((line) => line.includes('request failed'))).toEqual([])
})
