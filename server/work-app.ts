import type { AppOptions } from './app.ts'
import { commonsFailures } from './commons/errors.ts'
import { systemEndpoints } from './commons/system.ts'
import { type App, composeModules } from './http/compose.ts'
import { Inflow } from './http/inflow.ts'
import { notFoundPage } from './web/page.ts'

const PATHS: readonly string[] = [
  '/health/live',
  '/health/ready',
  '/health/dependencies',
  '/metrics',
]

/** Builds the application of a process that only runs background tasks: health and metrics. */
export function createWorkApp(options: AppOptions): App {
  const { engine, config, log, metrics, status, ready = () => true } = options
  const { inflow = new Inflow({ maxBytes: config.heldBodyBytes }) } = options
  const endpoints = systemEndpoints({
    status,
    metrics,
    ready,
    // This process serves no release.
    release: () => undefined,
    health: () => ({ state: 'ready', problems: [] }),
    dependencies: () => engine.dependencies(),
    document: () => ({}),
  }).filter(({ path }) => PATHS.includes(path))
  const module = { prefix: '/', failures: commonsFailures, securitySchemes: {}, endpoints }
  return composeModules([module], { config, log, metrics, inflow, ready, notFoundPage })
}
