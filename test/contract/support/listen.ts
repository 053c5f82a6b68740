import type { Engine } from '../../../engine/index.ts'
import { readConfig } from '../../../server/config.ts'
import { type RunningServer, startServer } from '../../../server/main.ts'
import { keptLog } from '../fake-engine.ts'

/** Serves an engine over HTTP; the engine stays the caller's. */
export function listenFor(engine: Engine): Promise<RunningServer> {
  const config = readConfig({ flags: { port: 0, logLevel: 'error', drainSeconds: 0 } })
  const status = { commit: 'test', tag: '0.0.0' }
  return startServer({ engine, config, status, log: keptLog(config).log })
}
