import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, openEngine } from '../../engine/index.ts'
import { buildMadeRelease } from '../../fixtures/release/build-made.ts'
import type { ScaleName } from '../../fixtures/release/scale.ts'
import { createApp } from '../../server/app.ts'
import { type Config, readConfig } from '../../server/config.ts'
import type { App } from '../../server/http/compose.ts'
import { createMetrics } from '../../server/http/metrics.ts'
import { startServer } from '../../server/main.ts'
import { ThreadPool } from '../../workers/pool.ts'
import { keptLog } from '../commons/contract/fake-engine.ts'

export interface CommonsServer extends AsyncDisposable {
  readonly address: string
  readonly engine: Engine
  /** The same service, for requests within the process. */
  readonly app: App
  /** Log lines of both. */
  readonly lines: string[]
}

/** Starts a server with threads over a release made for the tests. */
export async function startCommons(
  { scale, seed = 1 }: { readonly scale: ScaleName; readonly seed?: number },
  overrides: Partial<Config> = {},
): Promise<CommonsServer> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'casemill-commons-'))
  const executor = new ThreadPool({ threads: 2 })
  await buildMadeRelease({ dataFolder, executor, scale, seed })
  const engine = await openEngine({ dataFolder, executor })
  await engine.start()
  await engine.commons.warm()
  const config = readConfig({ flags: { port: 0, logLevel: 'warn', drainSeconds: 0, ...overrides } })
  const { lines, log } = keptLog(config)
  const status = { commit: '880f321a', tag: '0.1.0' }
  const server = await startServer({ engine, config, status, log })
  const metrics = createMetrics(engine)
  return {
    app: createApp({ engine, config, log, metrics, status }),
    address: server.address,
    engine,
    lines,
    async [Symbol.asyncDispose]() {
      await server.close()
      await engine.close()
      await executor.close()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
