import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { EngineError } from '../../engine/shared/index.ts'
import { type LoginWorld, OWN_PAGE, sessionOf, startLoginWorld } from './support/login-world.ts'
import { Visitor } from './support/visitor.ts'

// While the record is kept, it has each log-in and each change of a person's tokens, and no secret.

let world: LoginWorld
beforeAll(async () => {
  world = await startLoginWorld({ flags: { audit: true } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

function linesOf(folder: string): readonly Record<string, unknown>[] {
  const names = readdirSync(folder, { recursive: true }).map(String)
  return names
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ kind }) => kind === 'answer')
}

test('log-ins and tokens of people are recorded, and refusals are not', async () => {
  const { visitor } = await world.logIn('ada')
  const at = (path: string) => `${world.address}${path}`
  const own = { headers: { ...OWN_PAGE, 'Content-Type': 'application/json' } }
  const body = JSON.stringify({ name: 'mine', projects: ['P-1'] })
  const made = await visitor.ask(at('/auth/tokens'), { ...own, method: 'POST', body })
  const { id, token } = (await made.json()) as { id: string; token: string }
  await visitor.ask(at('/auth/tokens'), own)
  await visitor.ask(at('/auth/tokens'), { ...own, method: 'POST', body: '{}' })
  await visitor.ask(at(`/auth/tokens/${id}`), { ...own, method: 'DELETE' })
  const portal = await (await visitor.ask(at('/auth/token/refresh'), own)).text()
  const lines = linesOf(join(world.engine.shared.dataFolder, 'audit'))
  const subject = `${world.provider.issuer}#ada`
  const session = sessionOf(visitor, world.address) ?? ''
  const credential = { kind: 'session', id: session.split('_')[1] }
  expect(lines).toMatchObject([
    { action: 'GET /auth/login/callback', subject, credential, status: 303 },
    { action: 'POST /auth/tokens', subject, credential, status: 201, projects: { ids: ['P-1'] } },
    { action: 'DELETE /auth/tokens/{token_id}', subject, credential, status: 204 },
    { action: 'GET /auth/token/refresh', subject, credential, status: 200 },
  ])
  const text = JSON.stringify(lines)
  for (const secret of [token, portal, session]) expect(text).not.toContain(secret.slice(21))
})

test('a log-in and a new token are recorded although the answer has no body', async () => {
  const at = (path: string) => `${world.address}${path}`
  const record = join(world.engine.shared.dataFolder, 'audit')
  const before = linesOf(record).length
  const visitor = new Visitor()
  const form = await visitor.follow(at('/auth/login'))
  const isEnd = (to: string) => to.startsWith(world.address)
  const { next = '' } = await visitor.logIn(form.at, 'ada', isEnd)
  const head = { method: 'HEAD', headers: OWN_PAGE }
  expect((await visitor.ask(next, head)).status).toBe(303)
  expect((await visitor.ask(at('/auth/user'))).status).toBe(200)
  expect((await visitor.ask(at('/auth/token/refresh'), head)).status).toBe(200)
  await visitor.ask(at('/auth/tokens'), head)
  expect(linesOf(record).slice(before)).toMatchObject([
    { action: 'HEAD /auth/login/callback', status: 303 },
    { action: 'HEAD /auth/token/refresh', status: 200 },
  ])
})

test('a revocation that cannot be recorded is done and logged, and a new token is not given', async () => {
  const { visitor } = await world.logIn('bob')
  const at = (path: string) => `${world.address}${path}`
  const own = { headers: { ...OWN_PAGE, 'Content-Type': 'application/json' } }
  const make = async () => visitor.ask(at('/auth/tokens'), { ...own, method: 'POST', body })
  const body = '{"name": "mine"}'
  const { id, token } = (await (await make()).json()) as { id: string; token: string }
  const { audit } = world.engine.shared
  if (!audit) throw new Error('no record is kept')
  const full = new EngineError('unavailable', 'no room', { retryAfterSeconds: 30 })
  const answer = vi.spyOn(audit, 'answer').mockRejectedValue(full)
  try {
    expect((await make()).status).toBe(503)
    const revoked = await visitor.ask(at(`/auth/tokens/${id}`), { ...own, method: 'DELETE' })
    expect(revoked.status).toBe(204)
  } finally {
    answer.mockRestore()
  }
  const asked = await fetch(at('/auth/user'), { headers: { 'X-Auth-Token': token } })
  expect(asked.status).toBe(401)
  expect(world.lines.join('\n')).toContain('a revocation is not in the audit record')
})
