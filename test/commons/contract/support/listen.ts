import type { Engine } from '../../../../engine/index.ts'
import { type Config, readConfig } from '../../../../server/config.ts'
import { type RunningServer, startServer } from '../../../../server/main.ts'
import { keptLog } from '../fake-engine.ts'

/** Serves an engine over HTTP; the caller closes the engine. */
export function listenFor(engine: Engine, settings: Partial<Config> = {}): Promise<RunningServer> {
  const flags = { port: 0, logLevel: 'error', drainSeconds: 0, ...settings }
  const config = readConfig({ flags })
  const status = { commit: 'test', tag: '0.0.0' }
  return startServer({ engine, config, status, log: keptLog(config).log })
}
