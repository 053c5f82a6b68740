import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { readConfig } from '../../server/config.ts'
import { type RunningServer, startServer } from '../../server/main.ts'
import { fakeStatus, keptLog } from '../commons/contract/fake-engine.ts'
import { openEngine } from '../places.ts'
import { caseOf, sampleOf } from './support/documents.ts'
import type { HeardBody } from './support/served.ts'

// A complete server over a data folder as users have it: tokens from the command line, an embedded database,
// requests over connections.

let folder: string
let engine: Engine
let server: RunningServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-served-'))
  await start()
})
afterAll(async () => {
  await stop()
  await rm(folder, { recursive: true })
})

async function start(): Promise<void> {
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
  const config = readConfig({ flags: { port: 0, logLevel: 'silent', drainSeconds: 0 } })
  server = await startServer({ engine, config, status: fakeStatus, log: keptLog(config).log })
}

async function stop(): Promise<void> {
  await server.close()
  await engine.close()
}

async function ask(method: string, path: string, token: string, body?: unknown) {
  const response = await fetch(`${server.address}/v0/submission${path}`, {
    method,
    headers: { 'X-Auth-Token': ` ${token} ` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { status } = response
  return { status, body: (status === 204 ? {} : await response.json()) as HeardBody }
}

test('submitted entities survive a restart, and tokens are those of the data folder', async () => {
  const admin = (await engine.shared.tokens.create({ user: 'root', admin: true })).secret
  const program = { type: 'program', name: 'GDC', dbgap_accession_number: 'phs1' }
  expect((await ask('POST', '', admin, program)).status).toBe(200)
  const project = { code: 'INTERNAL', dbgap_accession_number: 'phs2' }
  expect((await ask('PUT', '/GDC', admin, project)).status).toBe(200)

  const roles = 'GDC-INTERNAL:read,create,update,delete'
  const { id, secret } = await engine.shared.tokens.create({ user: 'submitter', projects: [roles] })
  const body = [caseOf('C'), sampleOf('S', 'C')]
  const done = await ask('PUT', '/gdc/internal/', secret, body)
  expect(done).toMatchObject({ status: 200, body: { created_entity_count: 2 } })
  const dry = await ask('POST', '/GDC/INTERNAL/_dry_run', secret, caseOf('D'))

  await stop()
  await start()
  const ids = done.body.entities.map((one) => one.id).join(',')
  const read = await ask('GET', `/GDC/INTERNAL/entities/${ids}`, secret)
  expect(read).toMatchObject({ status: 200, body: { entities: [{}, {}] } })
  const path = `/GDC/INTERNAL/transactions/${dry.body.transaction_id}/commit`
  const commit = await ask('POST', path, secret)
  expect(commit.body.entities[0]?.id).toBe(dry.body.entities[0]?.id)
  expect((await ask('POST', '/GDC/INTERNAL/review', secret)).status).toBe(403)
  await engine.shared.tokens.revoke(id)
  expect((await ask('GET', '/GDC', secret)).status).toBe(403)
})

test('who may not submit is refused before the body has been sent', async () => {
  const { port } = new URL(server.address)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    'PUT /submission/GDC/INTERNAL HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{',
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  expect(head.toString()).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
})

test('a body beyond the limit is 413 as JSON, announced or not', async () => {
  const token = (await engine.shared.tokens.create({ user: 'root', admin: true })).secret
  for (const headers of [
    { 'Content-Length': String(20 << 20) },
    { 'Transfer-Encoding': 'chunked' },
  ]) {
    const sending = request(`${server.address}/submission/GDC/INTERNAL`, {
      method: 'PUT',
      headers: { 'X-Auth-Token': token, ...headers },
    })
    sending.on('error', () => {}).write(Buffer.alloc(17 << 20, ' '))
    const [response] = await once(sending, 'response')
    const told = (await text(response)) as string
    sending.destroy()
    expect(response.statusCode).toBe(413)
    const message = 'the request body is larger than the limit of 16777216 bytes'
    expect(JSON.parse(told)).toEqual({ error: message, message })
  }
})
