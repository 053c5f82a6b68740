import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depth } from '../depth.ts'
import { type ServedIssuer, serveIssuer } from '../login/support/served-issuer.ts'
import { type CostlyResult, CostlyRun } from './support/costly-run.ts'
import { DemoServer } from './support/demo-server.ts'

// The costliest tokens of an issuer, forged and good, alone and eight at a time, with the limits of
// costly-inputs.ci.test.ts.

const ENTRY = join(import.meta.dirname, 'support/turns-entry.ts')
const MAX_TURN_MS = 50 * depth(10, 1)
const CONTROLLED = '/data/0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d02'
/** Characters of claims, for a token just below its limit. */
const MOST = 11_000

const folder = mkdtempSync(join(tmpdir(), 'casemill-jwts-'))
let issuer: ServedIssuer
let server: DemoServer
let run: CostlyRun

beforeAll(async () => {
  issuer = await serveIssuer()
  await issuer.issuer.rotate({ alg: 'RS256' })
  server = new DemoServer()
  const socketPath = join(folder, 'turns')
  const load = `--import=${pathToFileURL(ENTRY)}`
  const settings = { TURNS_SOCKET: socketPath, NODE_OPTIONS: load }
  await server.start({ ...issuer.settings, ...settings })
  run = new CostlyRun(server.address, socketPath, {})
  // A user with very many rights.
  const projects = Array.from({ length: 2000 }, (_, i) => ['--project', `P-${i}:read`])
  const of = ['--issuer', issuer.issuer.url, '--claim', 'groups', '--value', 'v7']
  await server.secret('access', 'map', ...of, ...projects.flat())
})
afterAll(async () => {
  run?.[Symbol.dispose]()
  await server?.[Symbol.asyncDispose]()
  await issuer?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test('cost no more than they may', { timeout: 0 }, async () => {
  const now = Math.floor(Date.now() / 1000)
  const sign = (claims: object, header: object = {}) =>
    issuer.issuer.sign({ iat: now, exp: now + 3600, ...claims }, header)
  const values = Array.from({ length: MOST / 5 }, (_, i) => `v${i % 10}`)
  const many = await sign({ groups: values })
  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  const deep = `{"iss":${JSON.stringify(issuer.issuer.url)},"a":${'['.repeat(4000)}${']'.repeat(4000)}}`
  const members = Array.from({ length: 1200 }, (_, i) => `"a${i}":1`).join()
  const [head, , end] = many.split('.')
  const tokens: Readonly<Record<string, string>> = {
    'many values of a claim': many,
    'many audiences': await sign({ aud: ['casemill', ...values] }),
    'a forged signature': `${many.slice(0, -8)}AAAAAAAA`,
    'an unknown key': await sign({ groups: values }, { kid: 'unknown' }),
    'deep claims': `${head}.${encoded(deep)}.${end}`,
    'deep head': `${encoded(deep)}.${many.split('.')[1]}.${end}`,
    'many members': `${encoded(`{${members}}`)}.${encoded(`{${members}}`)}.AAAA`,
    'no claims': `${'A'.repeat(5000)}.${'A'.repeat(5000)}.${'A'.repeat(5000)}`,
    'longer than a token': `${'A'.repeat(20_000)}.${'A'.repeat(20_000)}.AAAA`,
  }
  const target = CONTROLLED
  // The first request compiles code.
  await run.send({ what: 'first', method: 'GET', target, headers: {} }, 1)
  const results: CostlyResult[] = []
  for (const [what, token] of Object.entries(tokens)) {
    const headers = { authorization: `Bearer ${token}` }
    for (const times of [1, 8]) {
      results.push(await run.send({ what, method: 'GET', target, headers }, times))
    }
  }

  // All are refused: the good ones have no right to this file.
  expect(results.filter(({ status }) => status !== 403)).toEqual([])
  expect(results.filter(({ turnMilliseconds }) => turnMilliseconds > MAX_TURN_MS)).toEqual([])
  expect(server.errors()).toEqual([])
})
