import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../../engine/index.ts'
import { ROLES, type Role } from '../../../engine/shared/index.ts'
import type { StatePlace } from '../../../engine/shared-state.ts'
import { createApp } from '../../../server/app.ts'
import { type Config, readConfig } from '../../../server/config.ts'
import type { App } from '../../../server/http/compose.ts'
import { createMetrics } from '../../../server/http/metrics.ts'
import { keptLog } from '../../commons/contract/fake-engine.ts'
import { openEngine, placesOf } from '../../places.ts'
import { oneThread } from './one-thread.ts'

/** A key with one role or none, or no key at all. */
export type Who = Role | 'reader' | 'nobody'

export interface Request {
  readonly who?: Who
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent unchanged, everything else as JSON. */
  readonly body?: unknown
}

export interface RegistryWorld extends AsyncDisposable {
  readonly engine: Engine
  /** The place of the state, for another process. */
  readonly place: StatePlace
  readonly app: App
  readonly lines: readonly string[]
  readonly secrets: Readonly<Record<Exclude<Who, 'nobody'>, string>>
  ask(operation: string, request?: Request): Promise<Response>
}

/** The service over an empty data folder, called within the process: `ask('GET /rest/staging/cs')`. */
export async function openRegistry(
  settings: Partial<Config> = {},
  clock = () => new Date('2026-03-01T12:00:00.000Z'),
): Promise<RegistryWorld> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'casemill-registry-'))
  const engine = await openEngine({ dataFolder, executor: oneThread(), clock })
  const config = readConfig({ flags: { logLevel: 'debug', ...settings } })
  const { lines, log } = keptLog(config)
  const metrics = createMetrics(engine)
  const status = { commit: 'test', tag: '0.0.0' }
  const app = createApp({ engine, config, log, metrics, status })
  const made: [Role, string][] = []
  for (const role of ROLES) {
    made.push([role, (await engine.shared.keys.create({ roles: [role] })).secret])
  }
  const secrets = {
    ...(Object.fromEntries(made) as Record<Role, string>),
    reader: (await engine.shared.keys.create()).secret,
  }
  return {
    engine,
    app,
    lines,
    secrets,
    place: { dataFolder, ...(await placesOf(dataFolder)) },
    ask: (operation, request) => send(app, secrets, operation, request),
    async [Symbol.asyncDispose]() {
      await engine.close()
      await rm(dataFolder, { recursive: true })
    },
  }
}

async function send(
  app: App,
  secrets: RegistryWorld['secrets'],
  operation: string,
  { who = 'ADMIN', headers = {}, body }: Request = {},
): Promise<Response> {
  const [method = '', path = ''] = operation.split(' ')
  const sent = {
    ...(who !== 'nobody' && { 'X-SEERAPI-Key': secrets[who] }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...headers,
  }
  const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  return app.request(path, {
    method,
    headers: sent,
    ...(payload !== undefined && { body: payload }),
  })
}
