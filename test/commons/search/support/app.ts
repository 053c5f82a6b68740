import type { Engine } from '../../../../engine/index.ts'
import { createApp } from '../../../../server/app.ts'
import { type Config, readConfig } from '../../../../server/config.ts'
import type { App } from '../../../../server/http/compose.ts'
import { createLog } from '../../../../server/http/log.ts'
import { createMetrics } from '../../../../server/http/metrics.ts'

/** The service over an engine, called within the process. */
export function appOf(engine: Engine, settings: Partial<Config> = {}): App {
  const config = readConfig({ flags: { logLevel: 'silent', ...settings } })
  const log = createLog(config)
  const metrics = createMetrics(engine)
  const status = { commit: 'test', tag: '0.0.0' }
  return createApp({ engine, config, log, metrics, status, ready: () => true })
}
